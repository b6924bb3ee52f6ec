;; SPDX-License-Identifier: Apache-2.0  -*- lexical-binding: t -*-
;; What the tests in a batch Emacs share: the package installed as its page says, and waiting for what it says.
(require 'cl-lib)
(package-initialize)
(unless (require 'eglot nil t)
  (princ "SKIPPED: eglot is missing (apt-get install elpa-eglot)\n")
  (kill-emacs 0))
(package-install-file (expand-file-name "ide-plugin/emacs"))
(require 'tasklens)

(defvar said nil "What the package said, the newest first.")
(advice-add 'message :before
            (lambda (format &rest arguments)
              (when (and format (string-prefix-p "TaskLens: " format))
                (push (apply #'format format arguments) said))))

(defvar warned nil "What the package warned of, the newest first.")
(advice-add 'display-warning :before
            (lambda (type text &rest _) (when (eq type 'tasklens) (push text warned))))

(defun wait-for (_what condition)
  "Runs Emacs until CONDITION is true, as long as the test may take."
  (let (value)
    (while (not (setq value (funcall condition))) (accept-process-output nil 0.02))
    value))

(defun wait-for-word (part)
  (wait-for part (lambda () (cl-find-if (lambda (text) (string-search part text)) said))))

(defun expect (condition what)
  (unless condition (error "not so: %s (said: %S)" what said))
  (princ (format "ok      %s\n" what)))
