;;; tasklens.el --- What the tasks of a program cost, at their lines  -*- lexical-binding: t -*-
;; SPDX-License-Identifier: Apache-2.0

;; Version: 0.9.0
;; Package-Requires: ((emacs "28.1") (eglot "1.9"))
;; Keywords: tools, c

;;; Commentary:

;; TaskLens runs a program that is written as a graph of tasks (StarPU's C interface), records the
;; run, and shows above each line that submits tasks how many there were and what they cost.
;;
;;     (load "~/.local/share/emacs/site-lisp/tasklens-autoloads")
;;
;; M-x tasklens-run asks for a program, starts the server for the project of the current source,
;; and shows the task graph as a list: RET goes to the line that submitted the task, and the tasks
;; of the line at point light up.  More is in the menu TaskLens, and behind `tasklens-command-map'.
;; All knowledge is the server's, see ide-plugin/protocol.md.
;;
;; Eglot carries the connection.  It lets one server manage a buffer.  Where no other does when
;; TaskLens is started, TaskLens is that one, and hover (eldoc), advice (flymake), definitions and
;; references work as with any server.  Where another one is there already, such as clangd, it stays,
;; and TaskLens stands beside it: lenses, advice (flymake), lights and all commands are there; hover,
;; definitions and references are the other's.  So, for both: M-x eglot first, or

;;     (add-hook 'c-mode-common-hook #'eglot-ensure)

;;; Code:

(require 'cl-lib)
(require 'eglot)
(require 'project)

(defgroup tasklens nil "What tasks cost." :group 'tools)

(defcustom tasklens-program "tasklens"
  "The program; a name in PATH or a path." :type 'string)

(defcustom tasklens-source-roots nil
  "Folders besides the project in which sources may lie." :type '(repeat directory))

(defcustom tasklens-first-mib 64
  "Of a trace eight times as large so much is shown while the rest is read.
0: all of it is read first." :type 'number)

(defface tasklens-lens '((t :inherit shadow :height 0.9))
  "What stands above lines that submit tasks.")

(defface tasklens-lit '((t :inherit highlight :extend t))
  "Tasks of the line at point.")

(defconst tasklens-version "0.9.0") ; written by tools/set_version.py
(defconst tasklens-protocol 1 "What ide-plugin/protocol.md describes.")

(defclass tasklens-server (eglot-lsp-server) ()
  :documentation "The process `tasklens serve'.")

(defvar tasklens--last nil "The parameters of the last run.")
(defvar tasklens--long nil "What takes long: lists of token, server and words.")
(defvar tasklens--tokens 0 "How many tokens there were.")
(defvar tasklens--answering nil "The server whose answer is taken at this moment.")
(defvar tasklens--quietly nil "Whether what is asked for now need not come into sight.")
(defvar tasklens--from nil
  "Where the user called the command whose answer is taken, see `tasklens--place'.
`aside': its answer is shown, but nobody waits for it.")
(defvar tasklens--grown 0 "How often there was more of a trace whose beginning was shown.")
(defvar tasklens--grown-before nil "The same when what is answered at this moment was asked for.")
(defvar tasklens-mode)
(defvar-local tasklens--server nil "The server of a list of ours.")
(defvar-local tasklens--lenses nil "Overlays of this buffer.")

;; The views are loaded on first use.
;;;###autoload
(autoload 'tasklens-graph "tasklens-views" "Show the task graph as a list." t)
;;;###autoload
(autoload 'tasklens-timeline "tasklens-views" "Show as text what each worker did when." t)
;;;###autoload
(autoload 'tasklens-graph-in-browser "tasklens-views" "Show the run as one page in the browser." t)
;;;###autoload
(autoload 'tasklens-costs "tasklens-views" "List the lines that submitted tasks." t)
;;;###autoload
(autoload 'tasklens-advice "tasklens-views" "List what is wrong with the run and what to try." t)
;;;###autoload
(autoload 'tasklens-runs "tasklens-views" "List the runs that were kept." t)
;;;###autoload
(autoload 'tasklens-compare "tasklens-views" "Show what became slower between two runs." t)

;;;; The connection

(cl-defmethod eglot-client-capabilities ((_server tasklens-server))
  (let ((all (cl-call-next-method)))
    (setq all (plist-put all :window (append '(:showDocument (:support t) :workDoneProgress t)
                                             (plist-get all :window))))
    (setq all (plist-put all :workspace (plist-put (plist-get all :workspace)
                                                   :codeLens '(:refreshSupport t))))
    ;; No mode of Emacs shows Markdown tables, but the server can draw them.
    (setq all (plist-put all :textDocument
                         (plist-put (plist-get all :textDocument) :hover
                                    (plist-put (plist-get (plist-get all :textDocument) :hover) :contentFormat ["plaintext"]))))
    (plist-put all :experimental `(:tasklens (:version ,tasklens-protocol)))))

(cl-defmethod eglot-initialization-options ((_server tasklens-server))
  `(:sourceRoots ,(vconcat (mapcar #'expand-file-name tasklens-source-roots))))

(defun tasklens--ours (server)
  (and server (object-of-class-p server 'tasklens-server) (jsonrpc-running-p server) server))

(defun tasklens--buffer-server ()
  "The TaskLens server of this list or of this buffer's project; beside files, any."
  (or (tasklens--ours tasklens--answering)
      (tasklens--ours tasklens--server)
      (cl-some #'tasklens--ours (gethash (eglot--current-project) eglot--servers-by-project))
      (and (not buffer-file-name)
           (cl-loop for servers being the hash-values of eglot--servers-by-project
                    thereis (cl-some #'tasklens--ours servers)))))

;;;###autoload
(defun tasklens-start ()
  "Connect this project's sources to a TaskLens server; return the server."
  (interactive)
  (or (tasklens--buffer-server)
      (let ((program (executable-find tasklens-program)) (manager (eglot-current-server)))
        (unless program
          (user-error "TaskLens: the program %s is not found; install TaskLens, or set tasklens-program"
                      tasklens-program))
        ;; One of our own servers that has just ended is about to be released.
        (while (and manager (object-of-class-p manager 'tasklens-server) (eq manager (eglot-current-server)))
          (accept-process-output nil 0.01))
        (condition-case problem
            (tasklens--connect program)
          (error (user-error "TaskLens: the server %s cannot be started: %s" program
                             (tasklens--cell (error-message-string problem)))))
        (let ((server (tasklens--buffer-server)))
          (unless server (user-error "TaskLens: the server %s has ended" program))
          (tasklens--tell-misfit server program)
          (add-function :after (process-sentinel (jsonrpc--process server)) (tasklens--farewell server))
          (add-hook 'after-change-major-mode-hook #'tasklens--adopt)
          (dolist (buffer (buffer-list)) (with-current-buffer buffer (tasklens--adopt)))
          server))))

(defun tasklens--tell-misfit (server program)
  "Warn where SERVER, of PROGRAM, speaks another protocol than this package."
  (let* ((ours (plist-get (plist-get (eglot--capabilities server) :experimental) :tasklens))
         (theirs (plist-get ours :version)) (about (eglot--server-info server)))
    (unless (eql theirs tasklens-protocol)
      (display-warning
       'tasklens
       (tasklens--cell
        (format "%s; until then some commands may fail (package %s: protocol %d; %s, %s %s: %s)"
                (cond ((not (integerp theirs))
                       (format "the server may not fit, install TaskLens %s or correct tasklens-program" tasklens-version))
                      ((< theirs tasklens-protocol)
                       (format "the server is older than this package, install TaskLens %s" tasklens-version))
                      (t "this package is older than the server, update it"))
                tasklens-version tasklens-protocol program
                (or (plist-get about :name) "without a name") (or (plist-get about :version) "?")
                (if (integerp theirs) (format "protocol %d" theirs) "no protocol version")))))))

(defun tasklens--connect (program)
  "Have Eglot start PROGRAM: as the manager of this buffer, or beside its manager."
  (let ((eglot-sync-connect t) (eglot-autoreconnect nil))
    (if (and (tasklens--source-p) (not (eglot-current-server)))
        (let ((eglot-server-programs `((,major-mode . (tasklens-server ,program "serve")))))
          (apply #'eglot (eglot--guess-contact)))
      ;; No buffer has this mode, so Eglot does not let the server manage any.
      (eglot--connect '(tasklens--beside-mode) (eglot--current-project) 'tasklens-server
                      (list program "serve") '("c")))))

(defun tasklens--farewell (server)
  "What is told when the process of SERVER has ended and nobody asked it to."
  (lambda (process &rest _)
    (unless (or (process-live-p process) (eglot--shutdown-requested server))
      (dolist (buffer (buffer-list))
        (with-current-buffer buffer
          (when (and tasklens-mode (not (tasklens--buffer-server))) (tasklens--draw nil))))
      (tasklens--say "the server has ended (%s); the next command starts it again"
                     (if (eq (process-status process) 'signal)
                         (format "signal %d" (process-exit-status process))
                       (format "status %d" (process-exit-status process)))))))

(defun tasklens--request (method params done &optional what)
  "Ask the server METHOD with PARAMS; DONE gets the answer.
A failure is one message.  WHAT: in words, of what may be cancelled."
  (let* ((server (tasklens-start))
         (token (and what (format "tasklens-emacs-%d" (cl-incf tasklens--tokens))))
         (quietly tasklens--quietly) (from (or tasklens--from (tasklens--place))) (grown (or tasklens--grown-before tasklens--grown))
         (over (lambda () (setq tasklens--long (assoc-delete-all token tasklens--long)))))
    (when token (push (list token server what) tasklens--long))
    (tasklens--tell-all server)
    (jsonrpc-async-request
     server method (if token (append params (list :workDoneToken token)) params)
     :success-fn (lambda (answer)
                   (funcall over)
                   (let ((tasklens--answering server) (tasklens--quietly quietly) (tasklens--from from)
                         (tasklens--grown-before grown))
                     (funcall done answer)))
     :error-fn (lambda (failure) (funcall over) (tasklens--say "%s" (plist-get failure :message)))
     :timeout-fn #'ignore :timeout nil)))

;;;###autoload
(defun tasklens-cancel ()
  "Give up opening a trace that takes too long."
  (interactive)
  (unless tasklens--long (user-error "TaskLens: nothing is being read"))
  (pcase-dolist (`(,token ,server ,what) tasklens--long)
    (jsonrpc-notify server :window/workDoneProgress/cancel (list :token token))
    (tasklens--say "cancelling: %s" what)))

(defun tasklens--place ()
  "Where the user is: window, buffer, and in a file point and the text's tick."
  (let* ((buffer (window-buffer)) (file (buffer-file-name buffer)))
    (list (selected-window) buffer (and file (window-point)) (and file (buffer-chars-modified-tick buffer)))))

(defun tasklens--is-awaited ()
  "Whether the user has stayed in the buffer of the question, for its answer."
  (and (listp tasklens--from) (not (active-minibuffer-window))
       (equal (butlast tasklens--from 2) (butlast (tasklens--place) 2))))

(defun tasklens--put-in-sight (buffer)
  "Show BUFFER, an answer; who waits for it is there then."
  (if (tasklens--is-awaited) (pop-to-buffer buffer) (display-buffer buffer)))

(defun tasklens--object (&rest members)
  "An object of those MEMBERS that have a value."
  (or (cl-loop for (name value) on members by #'cddr when value append (list name value)) (make-hash-table)))

(defun tasklens--later (body)
  "Call BODY once the answer is taken; before, the user may not be asked."
  (let ((server tasklens--answering))
    (run-at-time 0 nil (lambda () (let ((tasklens--answering server)) (funcall body))))))

(defun tasklens--cell (text)
  "TEXT, which a trace or a program may have said, on one line."
  (replace-regexp-in-string "[[:cntrl:]]+" " " text))

(defun tasklens--say (format &rest arguments)
  (message "TaskLens: %s" (tasklens--cell (apply #'format format arguments))))

(cl-defmethod eglot-handle-notification ((server tasklens-server) (_method (eql $/progress))
                                         &key token value &allow-other-keys)
  (pcase (plist-get value :kind)
    ("begin" (when (and (stringp token) (string-prefix-p "rest-of/" token))
               (push (list token server (concat "r" (substring (plist-get value :title) 1))) tasklens--long)))
    ("end" (setq tasklens--long (assoc-delete-all token tasklens--long))))
  (unless (minibufferp) (tasklens--show-progress value)))

(defvar tasklens--progress nil "What was shown of progress last.")

(defun tasklens--show-progress (value)
  "Show VALUE, of progress; at its end, no more of it."
  (let (message-log-max)
    (if (equal (plist-get value :kind) "end")
        (when (and tasklens--progress (equal (current-message) tasklens--progress)) (message nil))
      (setq tasklens--progress
            (tasklens--cell (string-join (delq nil (list "TaskLens:" (plist-get value :title) (plist-get value :message)
                                                         (and (plist-get value :percentage) (format "%d %%" (plist-get value :percentage)))))
                                         " ")))
      (message "%s" tasklens--progress))))

(cl-defmethod eglot-handle-request ((_server tasklens-server) (_method (eql window/showDocument))
                                    &key uri selection takeFocus external &allow-other-keys)
  (if (or (eq external t) (not (string-prefix-p "file:" uri)))
      '(:success :json-false)
    (let* ((buffer (find-file-noselect (eglot--uri-to-path uri)))
           (window (display-buffer buffer '((display-buffer-reuse-window
                                             display-buffer-use-some-window)
                                            (inhibit-same-window . nil)))))
      (with-selected-window window
        (when selection
          (push-mark nil t)
          (goto-char (eglot--lsp-position-to-point (plist-get selection :start)))
          (pulse-momentary-highlight-one-line (point))
          (when tasklens-mode (tasklens--follow))))
      (unless (eq takeFocus :json-false) (select-window window))
      '(:success t))))

(cl-defmethod eglot-handle-request ((server tasklens-server) (_method (eql workspace/codeLens/refresh)))
  (run-at-time 0 nil #'tasklens--refresh-all server)
  nil)

(cl-defmethod eglot-handle-notification ((server tasklens-server) (_method (eql tasklens/traceUpdated))
                                         &rest trace)
  (run-at-time 0 nil #'tasklens--refresh-all server)
  (run-at-time 0 nil #'tasklens--more server trace))

(cl-defmethod eglot-handle-notification ((server tasklens-server) (_method (eql tasklens/traceGrew)) &rest trace)
  (run-at-time 0 nil #'tasklens--more server trace))

(cl-defmethod eglot-handle-notification ((_server tasklens-server) (_method (eql tasklens/runStarted)) &rest _))

(cl-defmethod eglot-handle-notification ((_server tasklens-server) (_method (eql tasklens/runOutput))
                                         &key text &allow-other-keys)
  (with-current-buffer (tasklens--output)
    (let ((inhibit-read-only t))
      (goto-char (point-max))
      (insert text))))

(defun tasklens--output ()
  (with-current-buffer (get-buffer-create "*TaskLens output*")
    ;; Locations such as main.c:12 become links.
    (unless (derived-mode-p 'compilation-mode) (compilation-mode "TaskLens"))
    (current-buffer)))

;;;; Sources

(defun tasklens--source-p ()
  (and buffer-file-name (derived-mode-p 'c-mode 'c++-mode 'c-ts-base-mode 'cuda-mode)))

(defvar tasklens-command-map
  (let ((map (make-sparse-keymap)))
    (pcase-dolist (`(,key . ,command)
                   '(("r" . tasklens-run) ("R" . tasklens-again) ("l" . tasklens-launch) ("k" . tasklens-stop)
                     ("o" . tasklens-open-trace) ("x" . tasklens-cancel) ("g" . tasklens-graph) ("t" . tasklens-timeline)
                     ("b" . tasklens-graph-in-browser) ("s" . tasklens-site) ("c" . tasklens-costs) ("a" . tasklens-advice)
                     ("h" . tasklens-runs) ("=" . tasklens-compare)))
      (define-key map key command))
    map)
  "The commands of TaskLens, for a prefix key of the user's.")
;;;###autoload (autoload 'tasklens-command-map "tasklens" nil t 'keymap)
(fset 'tasklens-command-map tasklens-command-map)

(defvar tasklens-mode-map (make-sparse-keymap))
(easy-menu-define tasklens-menu tasklens-mode-map "The commands of TaskLens."
  '("TaskLens"
    ["Run Traced..." tasklens-run] ["Run Traced Again" tasklens-again :active tasklens--last]
    ["Run a Launch Configuration" tasklens-launch] ["Stop" tasklens-stop] "--"
    ["Task Graph" tasklens-graph] ["Trace (Timeline)" tasklens-timeline] ["Graph in Browser" tasklens-graph-in-browser]
    ["Costs of Lines" tasklens-costs] ["Costs of This Line" tasklens-site] ["Advice" tasklens-advice] "--"
    ["Runs" tasklens-runs] ["Compare" tasklens-compare] ["Open Trace..." tasklens-open-trace]
    ["Give up Opening" tasklens-cancel :active tasklens--long]))

(define-minor-mode tasklens-mode
  "What the lines of this source cost, and which tasks are theirs.
It is switched on by itself where a TaskLens server runs."
  :lighter " TaskLens"
  (dolist (hook '((after-save-hook . tasklens-refresh) (post-command-hook . tasklens--follow)
                  (kill-buffer-hook . tasklens--forget) (flymake-diagnostic-functions . tasklens--flymake)))
    (if tasklens-mode (add-hook (car hook) (cdr hook) nil t) (remove-hook (car hook) (cdr hook) t)))
  (if tasklens-mode (tasklens-refresh) (tasklens--draw nil)))

(defun tasklens--adopt ()
  (when (and (tasklens--source-p) (tasklens--buffer-server)) (tasklens-mode 1)))

(defvar-local tasklens--told nil "The server that this text was told, and the text's tick then.")
(defvar-local tasklens--advice nil "Diagnostics of this buffer, when another server manages it.")

(defun tasklens--tell (server)
  "Tell SERVER the text of this buffer as it is now."
  (if (eq (eglot-current-server) server)
      ;; What Eglot would tell in half a second; of a text that it does not manage yet it tells all when it does.
      (when (eglot-managed-p) (eglot--signal-textDocument/didChange))
    (let* ((tick (buffer-chars-modified-tick))
           (document (append (eglot--TextDocumentIdentifier) (list :version tick)))
           (text (save-restriction (widen) (buffer-substring-no-properties (point-min) (point-max)))))
      (cond ((not (eq (car tasklens--told) server))
             (jsonrpc-notify server :textDocument/didOpen
                             (list :textDocument (append document (list :languageId "c" :text text)))))
            ((/= (cdr tasklens--told) tick)
             (jsonrpc-notify server :textDocument/didChange
                             (list :textDocument document :contentChanges (vector (list :text text))))))
      (setq tasklens--told (cons server tick)))))

(defun tasklens--tell-all (server)
  "Tell SERVER the texts of its sources, for what it says of lines."
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (when (and tasklens-mode (eq (tasklens--buffer-server) server)) (tasklens--tell server)))))

(defun tasklens--forget ()
  (when (tasklens--ours (car tasklens--told))
    (jsonrpc-notify (car tasklens--told) :textDocument/didClose
                    (list :textDocument (eglot--TextDocumentIdentifier)))))

(cl-defmethod eglot-handle-notification ((server tasklens-server) (_method (eql textDocument/publishDiagnostics))
                                         &key uri diagnostics &allow-other-keys)
  (let ((buffer (find-buffer-visiting (eglot--uri-to-path uri))))
    (if (or (null buffer) (eq (with-current-buffer buffer (eglot-current-server)) server))
        (cl-call-next-method)
      (with-current-buffer buffer
        (setq tasklens--advice diagnostics)
        ;; Eglot clears this list when it takes over a buffer.
        (add-hook 'flymake-diagnostic-functions #'tasklens--flymake nil t)
        (when flymake-mode (flymake-start))))))

(defun tasklens--flymake (report &rest _)
  "Give Flymake's function REPORT the advice that Eglot does not give it."
  (funcall report
           (mapcar (lambda (one)
                     (let ((range (plist-get one :range)))
                       (flymake-make-diagnostic
                        (current-buffer) (eglot--lsp-position-to-point (plist-get range :start))
                        (eglot--lsp-position-to-point (plist-get range :end))
                        (pcase (plist-get one :severity) (1 :error) (2 :warning) (_ :note))
                        (format "tasklens [%s]: %s" (plist-get one :code) (plist-get one :message)))))
                   tasklens--advice)))

;; A view shows tasks: the graph or the timeline.
(defvar-local tasklens--trace nil "The trace of which this buffer shows something.")
(defvar-local tasklens--places nil
  "In a view: finds the tasks of a table, or a site, as pairs of positions.")
(defvar-local tasklens--drawn 0 "The number of the drawing that a view shows.")
(defvar tasklens--drawings 0 "How many drawings there were.")
(defvar-local tasklens--line nil "The line and the drawings in which its tasks were lit last.")

(defvar tasklens--source nil "The source where the user was last.")

(defun tasklens--follow ()
  "Light up the tasks of this line in the views that are shown."
  (setq tasklens--source (current-buffer))
  (let* ((views (seq-filter (lambda (buffer) (and (buffer-local-value 'tasklens--places buffer) (get-buffer-window buffer t)))
                            (buffer-list)))
         (here (and views (cons (line-number-at-pos nil t)
                                (mapcar (lambda (view) (buffer-local-value 'tasklens--drawn view)) views)))))
    (unless (equal here tasklens--line)
      (setq tasklens--line here)
      (dolist (view views)
        (when-let ((server (tasklens--ours (buffer-local-value 'tasklens--server view))))
          (tasklens--tell server)
          (tasklens--light-line server view here))))))

(defun tasklens--light-line (server view here)
  "Ask SERVER for the tasks of this line, that of HERE, and light them up in VIEW."
  (let ((buffer (current-buffer)))
    (jsonrpc-async-request
     server :tasklens/tasksAt
     (list :trace (buffer-local-value 'tasklens--trace view) :line (1- (car here)) :limit 10000
           :uri (plist-get (eglot--TextDocumentIdentifier) :uri))
     :success-fn (lambda (answer)
                   (when (and (buffer-live-p buffer) (buffer-live-p view) (eq here (buffer-local-value 'tasklens--line buffer)))
                     (tasklens--light view (plist-get answer :tasks))))
     ;; The trace was closed, or the text changed meanwhile: the next command requests again.
     :error-fn (lambda (_) (when (buffer-live-p buffer) (with-current-buffer buffer (setq tasklens--line nil))))
     :timeout-fn #'ignore :timeout nil)))

(defun tasklens--light (view tasks)
  "Light up TASKS, which are of one line, in the buffer VIEW."
  (let ((is-lit (make-hash-table)) (site (and (> (length tasks) 0) (plist-get (aref tasks 0) :site))))
    (seq-doseq (task tasks) (puthash (plist-get task :task) t is-lit))
    (with-current-buffer view
      (remove-overlays (point-min) (point-max) 'face 'tasklens-lit)
      (when-let ((places (funcall tasklens--places is-lit site)))
        (pcase-dolist (`(,begin . ,end) places)
          (overlay-put (make-overlay begin end) 'face 'tasklens-lit))
        (dolist (window (get-buffer-window-list view nil t))
          (unless (eq window (selected-window)) (set-window-point window (caar places))))))))

;;;; Lenses

(defun tasklens--refresh-all (server)
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (when (and tasklens-mode (eq (tasklens--buffer-server) server)) (tasklens-refresh)))))

(defun tasklens-refresh ()
  "Show anew what the lines of this buffer cost."
  (interactive)
  (when-let ((server (tasklens--buffer-server)))
    (tasklens--tell server)
    (let ((buffer (current-buffer)))
      (jsonrpc-async-request
       server :textDocument/codeLens (list :textDocument (eglot--TextDocumentIdentifier))
       :success-fn (lambda (lenses)
                     (when (buffer-live-p buffer)
                       (with-current-buffer buffer (tasklens--draw lenses))))
       ;; A text that changed meanwhile is requested again.
       :error-fn #'ignore :timeout-fn #'ignore))))

(defun tasklens--draw (lenses)
  (mapc #'delete-overlay tasklens--lenses)
  (setq tasklens--lenses
        (mapcar (lambda (lens)
                  (save-excursion
                    (save-restriction
                      (widen)
                      (goto-char (eglot--lsp-position-to-point
                                  (plist-get (plist-get lens :range) :start)))
                      (tasklens--lens (line-beginning-position) (current-indentation)
                                      (plist-get lens :command)))))
                lenses)))

(defun tasklens--lens (begin indentation command)
  (let* ((overlay (make-overlay begin begin))
         (map (make-sparse-keymap))
         (title (propertize (plist-get command :title) 'face 'tasklens-lens 'keymap map
                            'mouse-face 'highlight)))
    (define-key map [mouse-1] (lambda () (interactive) (tasklens--execute command)))
    (overlay-put overlay 'tasklens command)
    (overlay-put overlay 'before-string (concat (make-string indentation ?\s) title "\n"))
    overlay))

(defun tasklens--execute (command)
  (let ((argument (aref (plist-get command :arguments) 0)))
    (if (equal (plist-get command :command) "tasklens.run")
        (tasklens--run argument)
      (tasklens--request :tasklens/showSite argument
                         (lambda (answer) (tasklens--say "%s" (plist-get answer :text)))))))

;;;###autoload
(defun tasklens-site ()
  "Say what the tasks of this line cost; at `main', run the program traced."
  (interactive)
  (let ((overlay (cl-find (line-beginning-position) tasklens--lenses :key #'overlay-start)))
    (unless overlay (user-error "TaskLens: no task of an open trace was submitted on this line"))
    (tasklens--execute (overlay-get overlay 'tasklens))))

;;;; Runs and traces

;;;###autoload
(defun tasklens-run (command)
  "Run COMMAND, a program and its arguments, traced; no shell is involved."
  (interactive
   (list (read-shell-command "Run traced: " (and tasklens--last (plist-get tasklens--last :line)))))
  (let ((words (split-string-and-unquote command)))
    (unless words (user-error "TaskLens: which program?"))
    (tasklens--run (list :program (car words) :arguments (vconcat (cdr words))
                         :workingDirectory (directory-file-name (expand-file-name default-directory)))
                   command)))

(defun tasklens--run (params &optional line)
  (setq tasklens--last (list :line (or line (plist-get params :program) (plist-get params :configuration)) :params params))
  (with-current-buffer (tasklens--output)
    (let ((inhibit-read-only t)) (erase-buffer))
    (display-buffer (current-buffer)))
  (tasklens--request :tasklens/run params #'tasklens--ended))

(defun tasklens--ended (answer)
  "Tell how a run ended, by ANSWER; show its graph, and the line to look at first."
  (let ((from tasklens--from) (tasklens--from 'aside) (trace (plist-get answer :trace)) (end (plist-get answer :message)))
    (tasklens--say "%s" end)
    (when trace
      (tasklens-graph nil trace)
      (tasklens--request :tasklens/advice (list :trace trace) (lambda (advice) (tasklens--lead-on end advice from))))))

(defun tasklens--lead-on (end advice from)
  "Show the line to look at first, then say END and how many findings ADVICE has.
No line where the user is no more where FROM says: typing, or elsewhere."
  (let* ((count (length (plist-get advice :findings))) (site (plist-get advice :firstSite))
         (say (lambda (&rest _)
                (tasklens--say "%s; %s" end
                               (if (zerop count) "no findings"
                                 (format "%d finding%s: M-x tasklens-advice" count (if (= count 1) "" "s")))))))
    (if (and site (equal from (tasklens--place)) (not (active-minibuffer-window)))
        (tasklens--request :tasklens/reveal (list :trace (plist-get advice :trace) :site site :takeFocus :json-false) say)
      (funcall say))))

;;;###autoload
(defun tasklens-again ()
  "Run traced what was run last."
  (interactive)
  (unless tasklens--last (user-error "TaskLens: nothing was run yet; M-x tasklens-run"))
  (tasklens--run (plist-get tasklens--last :params) (plist-get tasklens--last :line)))

;;;###autoload
(defun tasklens-launch ()
  "Run a launch configuration of the project (.tasklens/launch.json) traced."
  (interactive)
  (tasklens--request
   :tasklens/configurations (make-hash-table)
   (lambda (answer)
     (let ((names (mapcar (lambda (one) (plist-get one :name)) (plist-get answer :configurations))))
       (seq-doseq (problem (plist-get answer :problems)) (tasklens--say "%s" problem))
       (cond ((null names) (tasklens--say "no launch configuration; write %s" (plist-get answer :file)))
             ((null (cdr names)) (tasklens--run (list :configuration (car names))))
             (t (tasklens--later
                 (lambda () (tasklens--run (list :configuration (completing-read "Run traced: " names nil t)))))))))))

;;;###autoload
(defun tasklens-stop ()
  "Stop the running program; what it had recorded is shown."
  (interactive)
  (tasklens--request :tasklens/stop (make-hash-table)
                     (lambda (answer)
                       (when (seq-empty-p (plist-get answer :stopped)) (tasklens--say "no program is running")))))

;;;###autoload
(defun tasklens-open-trace (file)
  "Open the trace FILE, or the folder of a run."
  (interactive "fTrace or its folder: ")
  (tasklens--request :tasklens/openTrace (list :uris (vector (expand-file-name file))
                                               :firstBytes (max 0 (floor (* tasklens-first-mib 1024 1024))))
                     (lambda (answer)
                       (tasklens--opened tasklens--answering answer)
                       (tasklens-graph nil (plist-get answer :trace)))
                     (concat "opening " file)))

;; The beginning of a large trace is shown while the rest is read; then the text is refreshed.
(defvar tasklens--parts nil
  "Traces of which only the beginning is there: lists of server, id, words.")
(defvar-local tasklens--again nil "In a view: asks for what it shows again.")

(defun tasklens--learn (server trace)
  "Note whether TRACE, as SERVER tells of it, is all there."
  (let ((id (plist-get trace :trace)) (read (plist-get trace :read)))
    (setq tasklens--parts (cl-remove-if (lambda (part) (and (eq (car part) server) (equal (cadr part) id)))
                                        tasklens--parts))
    (when (< read 1) (push (list server id (format " of the first %.2g %%" (* 100.0 read))) tasklens--parts))))

(defun tasklens--part (server id)
  "How much of the trace ID numbers are about, in words; \"\" of all of it."
  (or (cl-loop for (of trace words) in tasklens--parts when (and (eq of server) (equal trace id)) return words) ""))

(defun tasklens--opened (server trace)
  "Say what of TRACE was opened."
  (tasklens--learn server trace)
  (tasklens--say "%s: %d tasks%s on %d workers%s" (plist-get trace :title) (plist-get trace :tasks)
                 (tasklens--part server (plist-get trace :trace)) (plist-get trace :workers)
                 (if (< (plist-get trace :read) 1) "; the rest is being read" "")))

(defun tasklens--more (server trace)
  "There is more of TRACE, or all.  Why the rest did not come, SERVER says itself."
  (unless (or (string-empty-p (tasklens--part server (plist-get trace :trace))) (plist-get trace :notRead))
    (if (= (plist-get trace :read) 1) (tasklens--opened server trace) (tasklens--learn server trace))
    (cl-incf tasklens--grown)
    (dolist (view (buffer-list))
      (with-current-buffer view
        (when (and tasklens--again (eq tasklens--server server) (equal tasklens--trace (plist-get trace :trace)))
          (tasklens--renew))))))

(defun tasklens--renew ()
  "Ask again for what this view shows."
  (let ((tasklens--quietly t) (tasklens--grown-before nil)) (funcall tasklens--again)))

(provide 'tasklens)
;;; tasklens.el ends here
