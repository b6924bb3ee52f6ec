;; SPDX-License-Identifier: Apache-2.0  -*- lexical-binding: t -*-
;; The package in a real Emacs: the cholesky example is run traced, its graph is listed, RET on a task of each
;; kind puts point on the line that submitted it, and what breaks is told in one line.
(load (expand-file-name "tests/ide-plugin/emacs/testing.el") nil t)
(defvar page (with-temp-buffer (insert-file-contents "ide-plugin/emacs/README.md") (buffer-string)))

(defun lit-tasks ()
  "Names of the tasks that are lit in the graph."
  (with-current-buffer "*TaskLens graph*"
    (cl-loop for overlay in (overlays-in (point-min) (point-max))
             when (eq (overlay-get overlay 'face) 'tasklens-lit)
             collect (save-excursion (goto-char (overlay-start overlay)) (aref (tabulated-list-get-entry) 0)))))

(defun are-lit-in (name)
  "Whether tasks are lit in the buffer NAME."
  (with-current-buffer name
    (seq-find (lambda (overlay) (eq (overlay-get overlay 'face) 'tasklens-lit)) (overlays-in (point-min) (point-max)))))

(defun go-to-line-of (codelet)
  (goto-char (point-min))
  (search-forward (format "starpu_task_insert(&%s" codelet))
  (run-hooks 'post-command-hook))

(defun has-lenses ()
  (cl-find-if (lambda (overlay) (string-search "20 tasks · " (overlay-get overlay 'before-string))) tasklens--lenses))

(defun alive ()
  "Whether the editor lives on."
  (with-temp-buffer (insert "alive") (equal (buffer-string) "alive")))

(defun measured (what begun)
  (princ (format "MEASURED %s: %.0f ms\n" what (* 1000 (- (float-time) begun)))))

(defun failure (body)
  (condition-case problem (progn (funcall body) "") (user-error (cadr problem))))

(defun find-row (name)
  "Moves to the first task called NAME of the list."
  (goto-char (point-min))
  (while (not (and (tabulated-list-get-id) (equal (aref (tabulated-list-get-entry) 0) name)))
    (when (eobp) (error "no row of %s" name))
    (forward-line)))

(defun wait-for-end ()
  "Waits until all is shown that comes by itself after a run of the example."
  (wait-for "the end of a run"
            (lambda () (cl-find-if (lambda (text) (string-match-p "56 tasks.*; \\([0-9]+ findings?: M-x\\|no findings\\)" text)) said))))

(defun run-cholesky (work)
  (let ((default-directory work)) (tasklens-run "./cholesky"))
  (wait-for-end))

(defun show-the-run (work buffer)
  "What a case finds, whatever the one before it has left: a run of the example is listed, and its source is in front."
  (pop-to-buffer buffer)
  (let ((server (ignore-errors (tasklens--buffer-server))))
    (unless (and (get-buffer "*TaskLens graph*") server (jsonrpc-running-p server))
      (run-cholesky work)
      (wait-for "lenses" #'has-lenses)
      (setq said nil))))

(let* ((work (file-name-as-directory (getenv "WORK")))
       (source (expand-file-name "examples/cholesky.c" work))
       (buffer (find-file source)))
  (c-mode)
  (a-case "a missing server is told"
    (let ((tasklens-program "/no/such/tasklens"))
      (expect (string-search "/no/such/tasklens is not found; install TaskLens" (failure #'tasklens-start))
              "a missing server is one clear line")))
  (setq tasklens-program (getenv "SERVER"))
  (a-case "a line without tasks is told"
    (expect (string-search "no task of an open trace" (failure #'tasklens-site)) "a line without tasks is told"))
  (a-case "a program is run, its graph is listed, and its lines say what tasks cost"
    (let ((begun (float-time)) (default-directory work))
      (tasklens-run "./cholesky")
      (wait-for "the graph" (lambda () (get-buffer "*TaskLens graph*")))
      (measured "from the run to the first list" begun))
    (wait-for-end)
    (expect (string-match-p "cholesky exited with status 0; its trace has 56 tasks.*; \\([0-9]+ findings?: M-x tasklens-advice\\|no findings\\)"
                            (car said))
            "what is told at the end of a run is how many findings there are, and what lists them")
    (expect (string-search "starpu_task_insert(" (with-current-buffer buffer (buffer-substring (line-beginning-position) (line-end-position))))
            "the line to look at first is in sight")
    (with-current-buffer "*TaskLens output*"
      (expect (save-excursion (goto-char (point-min)) (search-forward "L(0,0)" nil t)) "the output of the program is shown"))
    (with-current-buffer buffer
      (wait-for "lenses" #'has-lenses)
      (expect (>= (length tasklens--lenses) 5) "lines that submit tasks say what these cost")))
  (a-case "a task leads to its line"
    (show-the-run work buffer)
    (dolist (name '("potrf" "trsm" "syrk" "gemm"))
      (with-current-buffer buffer (goto-char (point-min)))
      (pop-to-buffer "*TaskLens graph*")
      (find-row name)
      (let ((begun (float-time)))
        (tasklens-graph-visit)
        (wait-for name (lambda () (with-current-buffer buffer
                                    (and (> (point) 1)
                                         (string-search (format "starpu_task_insert(&%s" name)
                                                        (buffer-substring (line-beginning-position) (line-end-position)))))))
        (measured (format "from RET on a task of %s to its line" name) begun))
      (expect (eq (window-buffer (selected-window)) buffer) (format "a task of %s leads to its line" name))))
  (a-case "a line leads to its tasks"
    (show-the-run work buffer)
    (go-to-line-of "gemm")
    (with-current-buffer buffer (tasklens-site))
    (wait-for-word "gemm: 20 tasks")
    (expect t "at the line, its tasks"))
  (a-case "the costs of lines are links"
    (show-the-run work buffer)
    (with-current-buffer buffer (tasklens-costs))
    (wait-for "costs" (lambda () (get-buffer "*TaskLens costs*")))
    (with-current-buffer "*TaskLens costs*"
      (goto-char (point-min))
      (expect (re-search-forward (format "^%s:[0-9]+: " (regexp-quote source)) nil t) "the costs of lines are links")))
  (a-case "advice is among the diagnostics"
    (show-the-run work buffer)
    (with-current-buffer buffer
      (flymake-mode 1)
      ;; A run may be one that nothing can be said of.
      (let ((advice (jsonrpc-request (tasklens--buffer-server) :tasklens/advice (make-hash-table))))
        (when (cl-find-if-not #'string-empty-p (plist-get advice :findings) :key (lambda (one) (plist-get one :file)))
          (wait-for "advice" (lambda () (flymake-start) (flymake-diagnostics)))
          (expect t "advice is among the diagnostics")))))
  (a-case "point on a line lights up its tasks"
    (show-the-run work buffer)
    (display-buffer "*TaskLens graph*")
    (dolist (one '(("potrf" . 6) ("trsm" . 15) ("syrk" . 15) ("gemm" . 20)))
      (go-to-line-of (car one))
      (wait-for "light" (lambda () (equal (lit-tasks) (make-list (cdr one) (car one))))))
    (expect t "point on a line lights up its tasks")
    (pop-to-buffer "*TaskLens graph*") ; from where the user goes on, away from the line
    (tasklens-timeline)
    (wait-for "light in the timeline" (lambda () (and (get-buffer "*TaskLens timeline*") (are-lit-in "*TaskLens timeline*"))))
    (expect t "a view that is opened later shows them, too"))
  (a-case "a bad trace is one clear line"
    (show-the-run work buffer)
    (write-region "this is no trace\n" nil (expand-file-name "bad.tlt" work))
    (tasklens-open-trace (expand-file-name "bad.tlt" work))
    (expect (< (length (wait-for-word "bad.tlt")) 300) "a bad trace is one clear line"))
  (a-case "stop ends a run"
    (show-the-run work buffer)
    (let ((default-directory work)) (tasklens-run "sleep 1000"))
    (wait-for "the run" (lambda () (tasklens-stop)
                          (cl-find-if (lambda (text) (string-search "sleep was ended by SIGTERM" text)) said)))
    (expect t "stop ends a run"))
  (a-case "a long load is cancelled"
    (show-the-run work buffer)
    (expect (zerop (call-process (getenv "SERVER") nil nil nil "run" "-o" (expand-file-name "large" work) "--"
                                 (expand-file-name "cholesky" work) "100" "1"))
            "a large trace is recorded")
    ;; A process that is stopped takes no message of Emacs, but one behind it may be, so that the load is not over before
    ;; it is given up.
    (eglot-shutdown (tasklens--buffer-server))
    (let ((tasklens-program (expand-file-name "behind" work)) (pid (expand-file-name "pid" work)))
      (write-region (format "#!/bin/sh\nexec 3<&0\n'%s' \"$@\" <&3 &\necho $! >'%s'\nwait\n" (getenv "SERVER") pid) nil tasklens-program)
      (set-file-modes tasklens-program #o755)
      (let ((default-directory work)) (tasklens-run "./cholesky"))
      (wait-for-end)
      (setq pid (with-temp-buffer (insert-file-contents pid) (string-to-number (buffer-string))))
      (signal-process pid 'SIGSTOP)
      (tasklens-open-trace (expand-file-name "large" work))
      (tasklens-cancel)
      (wait-for-word "cancelling: opening")
      (setq said nil)
      (signal-process pid 'SIGCONT)
      (let ((begun (float-time)))
        (wait-for-word "cancelled")
        (measured "from the cancel of a load to its end" begun))
      (let ((traces (plist-get (jsonrpc-request (tasklens--buffer-server) :tasklens/traces nil) :traces)))
        (expect (and (= 1 (length traces)) (= 56 (plist-get (aref traces 0) :tasks)))
                "a long load is cancelled, and the trace before it is still open"))
      (eglot-shutdown (tasklens--buffer-server))))
  (a-case "a killed server is told, and the next command starts another"
    (show-the-run work buffer)
    (signal-process (jsonrpc--process (tasklens--buffer-server)) 'SIGKILL)
    (wait-for-word "the server has ended (signal 9); the next command starts it again")
    (expect (alive) "a killed server is told, and the editor lives on")
    (let ((default-directory work)) (tasklens-run "./cholesky"))
    (wait-for-end)
    (wait-for "lenses" #'has-lenses)
    (expect t "after a killed server the next command starts another"))
  (a-case "a removed server is told, and one that is none"
    (show-the-run work buffer)
    (signal-process (jsonrpc--process (tasklens--buffer-server)) 'SIGKILL)
    (wait-for-word "the server has ended (signal 9)")
    (let ((tasklens-program (expand-file-name "gone" work)))
      (expect (string-search "gone is not found; install TaskLens, or set tasklens-program" (failure #'tasklens-again))
              "a removed server is told")
      (write-region "#!/bin/sh\nexit 3\n" nil tasklens-program)
      (set-file-modes tasklens-program #o755)
      (expect (string-search "gone cannot be started" (failure #'tasklens-again)) "a server that is none is told")
      (expect (alive) "and the editor lives on")))

  (a-case "beside another server lines say what their tasks cost"
    (pop-to-buffer buffer)
    ;; Another server has the buffer: here one that is only a language server to Eglot, as clangd is.
    (let ((eglot-server-programs `((c-mode . (,(getenv "SERVER") "serve")))) (eglot-sync-connect t))
      (apply #'eglot (eglot--guess-contact)))
    (let ((manager (eglot-current-server)))
      (kill-buffer "*TaskLens graph*") ; of the run before
      (let ((default-directory work)) (tasklens-run "./cholesky"))
      (wait-for-end)
      (wait-for "lenses" #'has-lenses)
      (wait-for "the graph" (lambda () (get-buffer "*TaskLens graph*")))
      (expect (and (eq (eglot-current-server) manager) (not (eq (tasklens--buffer-server) manager)) (jsonrpc-running-p manager))
              "beside another server lines say what their tasks cost, and that server keeps the buffer")
      (goto-char (point-min))
      (insert "\n\n")
      (go-to-line-of "gemm")
      (wait-for "light" (lambda () (equal (lit-tasks) (make-list 20 "gemm"))))
      (expect (buffer-modified-p) "and follow a text that is not saved")
      (let ((advice (jsonrpc-request (tasklens--buffer-server) :tasklens/advice (make-hash-table))))
        (when (cl-find-if-not #'string-empty-p (plist-get advice :findings) :key (lambda (one) (plist-get one :file)))
          (wait-for "advice" (lambda () (cl-find-if (lambda (one) (string-prefix-p "tasklens [" (flymake-diagnostic-text one)))
                                                    (flymake-diagnostics))))
          (expect t "and advice is among the diagnostics of both")))
      (goto-char (point-min))
      (insert "\n")
      (pop-to-buffer "*TaskLens graph*")
      (find-row "trsm")
      (tasklens-graph-visit)
      (wait-for "trsm" (lambda () (with-current-buffer buffer
                                    (string-search "starpu_task_insert(&trsm"
                                                   (buffer-substring (line-beginning-position) (line-end-position))))))
      (expect t "and a task leads to its line there, at once after a change as well")
      (pop-to-buffer buffer)
      (set-buffer-modified-p nil)
      (eglot-shutdown manager)))

  (a-case "markup in names stays text"
    (pop-to-buffer buffer)
    (let ((default-directory work)) (tasklens-run "./hostile"))
    (wait-for-word "hostile exited")
    (wait-for "names" (lambda () (with-current-buffer "*TaskLens graph*"
                                   (save-excursion (goto-char (point-min)) (search-forward "<img src=x" nil t)))))
    (tasklens-timeline)
    (wait-for "names" (lambda () (when-let ((timeline (get-buffer "*TaskLens timeline*")))
                                   (with-current-buffer timeline
                                     (save-excursion (goto-char (point-min)) (search-forward "<img src=x" nil t))))))
    (expect t "markup in a task's name stays text, in graph and timeline"))
  (a-case "times tell steps apart"
    (expect (equal (mapcar (lambda (one) (apply #'tasklens--time one)) '((157083456 2e4) (157083456 2e6) (5 0.0) (0 0.0)))
                   '("157.08 ms" "157 ms" "5 ns" "0 ns"))
            "times tell steps apart, also of a run without length"))
  (a-case "a server of another protocol is told once, and works"
    (expect (null warned) "a server of the same protocol is not warned of")
    (pcase-dolist (`(,number ,part)
                   `(("2" "this package is older than the server, update it; until then some commands may fail (")
                     ("0" ,(format "the server is older than this package, install TaskLens %s; until then" tasklens-version))
                     ("none" ,(format "the server may not fit, install TaskLens %s or correct tasklens-program" tasklens-version))))
      (pop-to-buffer buffer)
      ;; Eglot of Emacs 30 tells a server of changes first, and fails in a buffer that it does not manage, as this one.
      (cl-letf (((symbol-function 'eglot--signal-textDocument/didChange) #'ignore))
        (eglot-shutdown (tasklens--buffer-server)))
      (setenv "PROTOCOL" number)
      (setq warned nil said nil)
      (let ((default-directory work)) (tasklens-run "./cholesky"))
      (wait-for-end)
      (expect (and (= 1 (length warned)) (string-search part (car warned)))
              (format "a server of protocol %s is told once, and works: %S" number warned)))
    (setenv "PROTOCOL" nil))
  (a-case "each command is in the README"
    (map-keymap (lambda (_ command)
                  (expect (and (commandp command) (string-search (format "`%s`" command) page))
                          (format "%s is a command, and in the README" command)))
                tasklens-command-map)))
(finish)

