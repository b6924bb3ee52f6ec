;; SPDX-License-Identifier: Apache-2.0  -*- lexical-binding: t -*-
;; What the tests in a batch Emacs share: the package installed as its page says, and waiting for what it says.
(require 'cl-lib)
(require 'xml)
(package-initialize)
(unless (require 'eglot nil t)
  (princ "SKIPPED: eglot is missing (apt-get install elpa-eglot)\n")
  (kill-emacs 0))
(package-install-file (expand-file-name "ide-plugin/emacs"))
(require 'tasklens)
(load (expand-file-name "tests/testing/waiting.el") nil t)

(defvar said nil "What the package said, the newest first.")
(advice-add 'message :before
            (lambda (format &rest arguments)
              (when (and format (string-prefix-p "TaskLens: " format))
                (push (apply #'format format arguments) said))))

(defvar warned nil "What the package warned of, the newest first.")
(advice-add 'display-warning :before
            (lambda (type text &rest _) (when (eq type 'tasklens) (push text warned))))

(defun wait-for (what condition)
  "Runs Emacs until CONDITION is true, as long as the test may take."
  (condition-case problem (run-until condition)
    (error (error "waiting for %s: %s (said: %S)" what (error-message-string problem) said))))

(defun wait-for-word (part)
  (wait-for part (lambda () (cl-find-if (lambda (text) (string-search part text)) said))))

(defun expect (condition what)
  (unless condition (error "not so: %s (said: %S)" what said))
  (princ (format "ok      %s\n" what)))

;; Each case reports by itself: where one fails the others run all the same.

(defvar cases nil "The cases that have ended, the newest first: (NAME . FAILURE or nil).")

(defmacro a-case (name &rest body)
  "Runs BODY, the case called NAME, in which nothing was said yet."
  (declare (indent 1))
  `(run-case ,name (lambda () ,@body)))

(defun run-case (name body)
  (setq said nil)
  (let ((failure (condition-case problem (progn (save-current-buffer (funcall body)) nil)
                   (error (error-message-string problem)))))
    (princ (if failure (format "FAILED  %s: %s\n" name failure) (format "passed  %s\n" name)))
    (push (cons name failure) cases)
    (write-cases))) ; what is known, should the next one not end

(defun write-cases ()
  "Writes what has ended to where tools/summarize_tests.py looks for it."
  (when-let ((file (getenv "XML_OUTPUT_FILE")))
    (let ((escaped (lambda (text) (xml-escape-string (replace-regexp-in-string "[[:cntrl:]]" " " text)))))
      (with-temp-file file
        (insert "<testsuite>\n")
        (pcase-dolist (`(,name . ,failure) (reverse cases))
          (insert (format "<testcase name=\"%s\">%s</testcase>\n" (funcall escaped name)
                          (if failure (format "<failure message=\"%s\"/>" (funcall escaped failure)) ""))))
        (insert "</testsuite>\n")))))

(defun finish ()
  "Ends Emacs: with status 1 where a case has failed."
  (kill-emacs (if (cl-find-if #'cdr cases) 1 0)))
