;; SPDX-License-Identifier: Apache-2.0  -*- lexical-binding: t -*-
;; Emacs with eglot, with no package of ours: from a code lens to a moved point, hover, advice.
(require 'cl-lib)
(unless (require 'eglot nil t)
  (princ "SKIPPED: eglot is missing (apt-get install elpa-eglot)\n")
  (kill-emacs 0))
(require 'flymake)

(setq eglot-server-programs `((c-mode . (,(getenv "SERVER") "serve")))
      eglot-sync-connect 1000000
      eglot-connect-timeout nil)

(defun wait-for (what condition)
  "Runs Emacs until CONDITION is true, as long as the test may take; WHAT says which."
  (let ((value (run-until condition)))
    (message "ok: %s" what)
    value))

(with-current-buffer (find-file-noselect (expand-file-name "cholesky.c" (getenv "WORKSPACE")))
  (c-mode)
  (apply #'eglot (eglot--guess-contact))
  (let* ((server (eglot-current-server))
         (execute (lambda (command argument)
                    (jsonrpc-request server :workspace/executeCommand
                                     (list :command command :arguments (vector argument)))))
         (trace (expand-file-name "prof_file_0" (getenv "WORKSPACE"))))
    (cl-assert (> (plist-get (funcall execute "tasklens.openTrace" (list :uris (vector trace)))
                             :tasks)
                  0))
    (let* ((document (eglot--TextDocumentIdentifier))
           (lenses (jsonrpc-request server :textDocument/codeLens (list :textDocument document)))
           (lens (cl-find "tasklens.showSite" lenses :test #'equal
                          :key (lambda (l) (plist-get (plist-get l :command) :command))))
           (command (plist-get lens :command))
           (line (plist-get (plist-get (plist-get lens :range) :start) :line)))
      (cl-assert (string-match-p "tasks · " (plist-get command :title)))
      (let ((shown (funcall execute "tasklens.showSite" (aref (plist-get command :arguments) 0))))
        (cl-assert (string-match-p "tasks · " (plist-get shown :text))))
      ;; To the line of what the lens names.
      (let ((location (plist-get (funcall execute "tasklens.reveal"
                                          (aref (plist-get command :arguments) 0))
                                 :location)))
        (goto-char (eglot--lsp-position-to-point
                    (plist-get (plist-get location :range) :start)))
        (cl-assert (= (line-number-at-pos) (1+ line))))
      ;; From there to the codelet, by the editor's own command. It asks which one where several
      ;; are found, so its backend is asked here.
      (let* ((found (xref-backend-definitions 'eglot (xref-backend-identifier-at-point 'eglot)))
             (place (xref-location-marker (xref-item-location (car found)))))
        (cl-assert found)
        (switch-to-buffer (marker-buffer place))
        (goto-char place)
        (cl-assert (/= (line-number-at-pos) (1+ line))))
      (let ((hover (jsonrpc-request
                    server :textDocument/hover
                    (list :textDocument document :position (list :line line :character 0)))))
        (cl-assert (string-match-p "tasks" (plist-get (plist-get hover :contents) :value)))))
    (flymake-mode 1)
    (wait-for "advice" (lambda () (flymake-start) (flymake-diagnostics)))
    (eglot-shutdown server)))
(message "ok")
