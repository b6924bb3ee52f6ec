;;; tasklens.el --- What the tasks of a program cost, at their lines  -*- lexical-binding: t -*-
;; SPDX-License-Identifier: Apache-2.0

;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1") (eglot "1.9"))
;; Keywords: tools, c

;;; Commentary:

;; TaskLens runs a program that is written as a graph of tasks (StarPU's C interface), records the
;; run, and shows above each line that submits tasks how many there were and what they cost.
;;
;;     (add-to-list 'load-path "~/tasklens/ide-plugin/emacs")
;;     (require 'tasklens)
;;
;; M-x tasklens-run asks for a program, starts the server for the project of the current source,
;; and shows the task graph as a list: RET goes to the line that submitted the task.  Eglot carries
;; the connection, so that hover (eldoc), advice (flymake), definitions and references work as
;; with any server.  All knowledge is the server's, see ide-plugin/protocol.md.

;;; Code:

(require 'cl-lib)
(require 'eglot)
(require 'project)
(require 'tabulated-list)

(defgroup tasklens nil "What tasks cost." :group 'tools)

(defcustom tasklens-program "tasklens"
  "The program; a name in PATH or a path." :type 'string)

(defcustom tasklens-source-roots nil
  "Folders besides the project in which sources may lie." :type '(repeat directory))

(defface tasklens-lens '((t :inherit shadow :height 0.9))
  "What stands above lines that submit tasks.")

(defclass tasklens-server (eglot-lsp-server) ()
  :documentation "The process `tasklens serve'.")

(defvar tasklens--last nil "The parameters of the last run.")
(defvar-local tasklens--lenses nil "Overlays of this buffer.")

;;;; The connection

(cl-defmethod eglot-client-capabilities ((_server tasklens-server))
  (let ((all (cl-call-next-method)))
    (setq all (plist-put all :window (plist-put (plist-get all :window)
                                                :showDocument '(:support t))))
    (setq all (plist-put all :workspace (plist-put (plist-get all :workspace)
                                                   :codeLens '(:refreshSupport t))))
    (plist-put all :experimental '(:tasklens (:version 1)))))

(cl-defmethod eglot-initialization-options ((_server tasklens-server))
  `(:sourceRoots ,(vconcat (mapcar #'expand-file-name tasklens-source-roots))))

(defun tasklens--buffer-server ()
  "The TaskLens server of this buffer or, beside a source, that of its project."
  (or (tasklens--ours (eglot-current-server))
      (cl-some (lambda (buffer) (with-current-buffer buffer (tasklens--ours (eglot-current-server))))
               (buffer-list))))

(defun tasklens--ours (server)
  (and server (object-of-class-p server 'tasklens-server) (jsonrpc-running-p server) server))

;;;###autoload
(defun tasklens-start ()
  "Connect this buffer, and all of its mode in its project, to a TaskLens server."
  (interactive)
  (unless (executable-find tasklens-program)
    (user-error "TaskLens: the program %s is not found; install TaskLens, or set tasklens-program"
                tasklens-program))
  (let ((other (eglot-current-server)) (tries 200))
    ;; One of ours that has just ended is about to be let go of.
    (while (and other (object-of-class-p other 'tasklens-server) (not (jsonrpc-running-p other))
                (eq other (eglot-current-server)) (> (cl-decf tries) 0))
      (accept-process-output nil 0.01))
    (setq other (eglot-current-server))
    (when (and other (not (tasklens--ours other)))
      (user-error "TaskLens: another server manages this buffer; M-x eglot-shutdown ends it")))
  (or (tasklens--buffer-server)
      (let ((eglot-server-programs
             `((,major-mode . (tasklens-server ,(executable-find tasklens-program) "serve"))))
            (eglot-sync-connect (or eglot-sync-connect t)))
        (apply #'eglot (eglot--guess-contact))
        (add-hook 'after-save-hook #'tasklens-refresh nil t)
        (tasklens--buffer-server))))

(defun tasklens--request (method params done)
  "Ask the server METHOD with PARAMS; DONE gets the answer.  A failure is one message."
  (let ((server (tasklens-start)))
    (jsonrpc-async-request
     server method params
     :success-fn done
     :error-fn (lambda (failure) (tasklens--say "%s" (plist-get failure :message)))
     :timeout-fn #'ignore :timeout nil)))

(defun tasklens--say (format &rest arguments)
  (message "TaskLens: %s" (replace-regexp-in-string "\n+" " " (apply #'format format arguments))))

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
          (pulse-momentary-highlight-one-line (point))))
      (unless (eq takeFocus :json-false) (select-window window))
      '(:success t))))

(cl-defmethod eglot-handle-request ((server tasklens-server) (_method (eql workspace/codeLens/refresh)))
  (run-at-time 0 nil #'tasklens--refresh-all server)
  nil)

(cl-defmethod eglot-handle-notification ((server tasklens-server) (_method (eql tasklens/traceUpdated))
                                         &rest _)
  (run-at-time 0 nil #'tasklens--refresh-all server))

(cl-defmethod eglot-handle-notification ((_server tasklens-server) (_method (eql tasklens/traceGrew)) &rest _))

(cl-defmethod eglot-handle-notification ((_server tasklens-server) (_method (eql tasklens/runStarted)) &rest _))

(cl-defmethod eglot-handle-notification ((_server tasklens-server) (_method (eql tasklens/runOutput))
                                         &key text &allow-other-keys)
  (with-current-buffer (tasklens--output)
    (let ((inhibit-read-only t))
      (goto-char (point-max))
      (insert text))))

(defun tasklens--output ()
  (with-current-buffer (get-buffer-create "*TaskLens output*")
    ;; Places such as main.c:12 are links there.
    (unless (derived-mode-p 'compilation-mode) (compilation-mode "TaskLens"))
    (current-buffer)))

;;;; Lenses

(defun tasklens--refresh-all (server)
  (dolist (buffer (eglot--managed-buffers server))
    (when (buffer-live-p buffer) (with-current-buffer buffer (tasklens-refresh)))))

(defun tasklens-refresh ()
  "Show anew what the lines of this buffer cost."
  (interactive)
  (when-let ((server (tasklens--ours (eglot-current-server))))
    (let ((buffer (current-buffer)))
      (jsonrpc-async-request
       server :textDocument/codeLens (list :textDocument (eglot--TextDocumentIdentifier))
       :success-fn (lambda (lenses)
                     (when (buffer-live-p buffer)
                       (with-current-buffer buffer (tasklens--draw lenses))))
       ;; A text that changed meanwhile is asked about again.
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

(defun tasklens-site ()
  "Say what the tasks cost that this line submits; at `main', run the program traced."
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
  (setq tasklens--last (list :line (or line (plist-get params :program)) :params params))
  (with-current-buffer (tasklens--output)
    (let ((inhibit-read-only t)) (erase-buffer))
    (display-buffer (current-buffer)))
  (tasklens--request :tasklens/run params #'tasklens--ended))

(defun tasklens--ended (answer)
  (tasklens--say "%s" (plist-get answer :message))
  (when (plist-get answer :trace) (tasklens-graph)))

(defun tasklens-again ()
  "Run traced what was run last."
  (interactive)
  (unless tasklens--last (user-error "TaskLens: nothing was run yet; M-x tasklens-run"))
  (tasklens--run (plist-get tasklens--last :params) (plist-get tasklens--last :line)))

(defun tasklens-stop ()
  "End what runs; what it had recorded is shown."
  (interactive)
  (tasklens--request :tasklens/stop (make-hash-table)
                     (lambda (answer)
                       (when (seq-empty-p (plist-get answer :stopped)) (tasklens--say "nothing runs")))))

;;;###autoload
(defun tasklens-open-trace (file)
  "Open the trace FILE, or the folder of a run."
  (interactive "fTrace or its folder: ")
  (tasklens--request :tasklens/openTrace (list :uris (vector (expand-file-name file)))
                     (lambda (answer)
                       (tasklens--say "%s: %d tasks on %d workers" (plist-get answer :title)
                                      (plist-get answer :tasks) (plist-get answer :workers))
                       (tasklens-graph))))

(defun tasklens-graph-in-browser ()
  "Show the task graph as a picture in the browser."
  (interactive)
  (tasklens--request
   :tasklens/graph '(:svg t)
   (lambda (graph)
     (let ((file (make-temp-file "tasklens-" nil ".svg" (plist-get graph :svg))))
       (browse-url-of-file file)
       (tasklens--say "%s: %s" (plist-get graph :caption) file)))))

;;;; The graph as a list

(defvar tasklens-graph-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'tasklens-graph-visit)
    (define-key map (kbd "b") #'tasklens-graph-in-browser)
    map))

(defvar-local tasklens--open nil "Ids of the open groups.")
(defvar-local tasklens--trace nil "The trace that is shown.")

(define-derived-mode tasklens-graph-mode tabulated-list-mode "TaskLens"
  "The tasks of a run. RET goes to the line that submitted a task, or opens a group."
  (setq tabulated-list-format [("Task" 28 t) ("Worker" 16 t) ("Starts, µs" 12 tasklens--by-start)
                               ("Takes, µs" 12 tasklens--by-length) ("Line" 0 t)])
  (tabulated-list-init-header))

(defun tasklens--number (row column) (string-to-number (aref (cadr row) column)))
(defun tasklens--by-start (a b) (< (tasklens--number a 2) (tasklens--number b 2)))
(defun tasklens--by-length (a b) (< (tasklens--number a 3) (tasklens--number b 3)))

(defun tasklens-graph (&optional open)
  "Show the task graph as a list, with the groups OPEN opened."
  (interactive)
  (tasklens--request :tasklens/graph (if open (list :open (vconcat open)) (make-hash-table))
                     (lambda (graph) (tasklens--show-graph graph open))))

(defun tasklens--show-graph (graph open)
  (let ((server (tasklens--buffer-server)))
    (with-current-buffer (get-buffer-create "*TaskLens graph*")
      (tasklens-graph-mode)
      (setq tasklens--open open
            tasklens--trace (plist-get graph :trace)
            eglot--cached-server server
            header-line-format nil
            mode-name (concat "TaskLens: " (plist-get graph :caption))
            tabulated-list-entries (tasklens--rows graph))
      (tabulated-list-init-header)
      (tabulated-list-print t)
      (display-buffer (current-buffer)))))

(defun tasklens--rows (graph)
  "A row for each node of GRAPH: what RET is about, and what is shown."
  (let* ((nodes (plist-get graph :nodes))
         (texts (plist-get graph :texts))
         (column (lambda (name) (plist-get nodes name)))
         (text (lambda (list index) (if (< index 0) "" (aref (plist-get texts list) index)))))
    (cl-loop
     for at below (length (funcall column :task))
     for value = (lambda (name) (aref (funcall column name) at))
     for task = (funcall value :task)
     for site = (plist-get (plist-get texts :sites)
                           (intern (format ":%d" (funcall value :site))))
     collect
     (list (if (>= task 0) (list :task task :row at)
             (list :group (aref (plist-get texts :ids) at) :canOpen (funcall value :canOpen)))
           (vector (tasklens--cell (funcall text :labels (funcall value :label)))
                   (if (>= task 0) (tasklens--cell (funcall text :workers (funcall value :worker)))
                     (format "%d tasks" (funcall value :tasks)))
                   (tasklens--microseconds (funcall value :startNs))
                   (tasklens--microseconds (funcall value :totalNs))
                   (if site (tasklens--cell (format "%s:%d" (file-name-nondirectory (plist-get site :file))
                                                    (plist-get site :line)))
                     ""))))))

(defun tasklens--cell (text) (replace-regexp-in-string "[[:cntrl:]]+" " " text))
(defun tasklens--microseconds (ns) (if (< ns 0) "" (format "%.1f" (/ ns 1000.0))))

(defun tasklens-graph-visit ()
  "Go to the line that submitted the task of this row, or open its group."
  (interactive)
  (let* ((row (tabulated-list-get-id)) (task (plist-get row :task)) (group (plist-get row :group)))
    (cond (task (tasklens--reveal tasklens--trace task))
          ((eql (plist-get row :canOpen) 1) (tasklens-graph (cons group tasklens--open)))
          (t (user-error "TaskLens: nothing is on this row")))))

(defun tasklens--reveal (trace task)
  ;; The answer comes when the server has had the line shown.
  (tasklens--request :tasklens/reveal (list :trace trace :task task) #'ignore))

(defun tasklens-costs ()
  "List the lines that submitted tasks, the costliest first; `next-error' goes through them."
  (interactive)
  (tasklens--request
   :tasklens/stats (make-hash-table)
   (lambda (answer)
     (with-current-buffer (get-buffer-create "*TaskLens costs*")
       (let ((inhibit-read-only t))
         (erase-buffer)
         (insert (format "%s, %d tasks\n\n" (plist-get answer :title) (plist-get answer :tasks)))
         (seq-doseq (cost (plist-get answer :costs))
           (let ((uri (plist-get (plist-get cost :location) :uri)))
             (insert (format "%s:%d: %s  %s\n"
                             (if uri (eglot--uri-to-path uri) (plist-get cost :file))
                             (plist-get cost :line) (plist-get cost :title)
                             (tasklens--cell (string-join (plist-get cost :names) ", ")))))))
       (grep-mode)
       (goto-char (point-min))
       (display-buffer (current-buffer))))))

(provide 'tasklens)
;;; tasklens.el ends here
