// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.editors;

/**
 * A line of an editor's text that submitted tasks.
 *
 * @param line from 0, in the text as it was when the server was asked
 * @param title tasks, total, mean and share, as in a code lens
 * @param details the hover's text, one line a fact; empty until it is known
 * @param trace and {@code site}: what the server calls it
 */
public record Site(int line, String title, String details, String trace, int site) {}
