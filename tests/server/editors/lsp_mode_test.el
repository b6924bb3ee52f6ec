;; SPDX-License-Identifier: Apache-2.0  -*- lexical-binding: t -*-
;; Emacs with lsp-mode, with no package of ours: from a code lens to a moved point.
(require 'cl-lib)
(unless (require 'lsp-mode nil t)
  (princ "SKIPPED: lsp-mode is missing (apt-get install elpa-lsp-mode)\n")
  (kill-emacs 0))

;; What has no place on a batch Emacs, which has no windows to draw into.
(setq lsp-auto-guess-root t
      lsp-session-file (expand-file-name "session" (getenv "HOME"))
      lsp-enable-snippet nil
      lsp-warn-no-matched-clients nil
      lsp-modeline-workspace-status-enable nil
      lsp-modeline-code-actions-enable nil
      lsp-modeline-diagnostics-enable nil
      lsp-headerline-breadcrumb-enable nil
      lsp-lens-enable nil
      lsp-diagnostics-provider :none
      lsp-completion-enable nil
      lsp-response-timeout 1000000
      lsp-disabled-clients '(clangd ccls))
(lsp-register-client
 (make-lsp-client :new-connection (lsp-stdio-connection (list (getenv "SERVER") "serve"))
                  :major-modes '(c-mode)
                  :priority 100
                  :server-id 'tasklens))
(lsp-workspace-folders-add (getenv "WORKSPACE"))

(with-current-buffer (find-file-noselect (expand-file-name "cholesky.c" (getenv "WORKSPACE")))
  (c-mode)
  (lsp)
  (run-until (lambda () (cl-some (lambda (w) (eq 'initialized (lsp--workspace-status w))) (lsp-workspaces))))
  (let* ((trace (expand-file-name "prof_file_0" (getenv "WORKSPACE")))
         (opened (lsp-send-execute-command
                  "tasklens.openTrace"
                  (vector (list :uris (vector trace)))))
         (lenses (lsp-request "textDocument/codeLens"
                              (list :textDocument (lsp--text-document-identifier))))
         (lens (cl-find "tasklens.showSite" lenses :test #'equal
                        :key (lambda (l) (lsp-get (lsp-get l :command) :command))))
         (command (lsp-get lens :command))
         (line (lsp-get (lsp-get (lsp-get lens :range) :start) :line)))
    (cl-assert (> (lsp-get opened :tasks) 0))
    (cl-assert (string-match-p "tasks · " (lsp-get command :title)))
    (let ((location (lsp-get (lsp-send-execute-command "tasklens.reveal"
                                                       (lsp-get command :arguments))
                             :location)))
      (goto-char (lsp--position-to-point (lsp-get (lsp-get location :range) :start)))
      (cl-assert (= (line-number-at-pos) (1+ line))))
    ;; From there to the codelet, as the editor's own command finds it.
    (let ((found (lsp-request "textDocument/definition" (lsp--text-document-position-params))))
      (cl-assert (> (length found) 0))
      (goto-char (lsp--position-to-point
                  (lsp-get (lsp-get (elt found 0) :range) :start)))
      (cl-assert (/= (line-number-at-pos) (1+ line))))
    (cl-assert (string-match-p "tasks" (lsp-get (lsp-get (lsp-request "textDocument/hover" (list :textDocument (lsp--text-document-identifier) :position (list :line line :character 0))) :contents) :value)))
    (lsp-workspace-shutdown (car (lsp-workspaces)))))
(message "ok")
