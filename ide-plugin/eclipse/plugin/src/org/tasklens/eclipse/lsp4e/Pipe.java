// SPDX-License-Identifier: Apache-2.0
package org.tasklens.eclipse.lsp4e;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A pipe between threads. Java's own pipe breaks when the last writing thread has ended, and LSP4E
 * writes on many threads.
 */
final class Pipe {
  private static final byte[] END = new byte[0];

  private final BlockingQueue<byte[]> chunks = new LinkedBlockingQueue<>();

  /** Writing never blocks. */
  final OutputStream out =
      new OutputStream() {
        @Override
        public void write(int value) {
          chunks.add(new byte[] {(byte) value});
        }

        @Override
        public void write(byte[] bytes, int from, int count) {
          if (count > 0) chunks.add(Arrays.copyOfRange(bytes, from, from + count));
        }

        @Override
        public void close() {
          chunks.add(END);
        }
      };

  /** For one thread at a time. */
  final InputStream in =
      new InputStream() {
        private byte[] chunk = new byte[0];
        private int at;

        @Override
        public int read() throws IOException {
          byte[] one = new byte[1];
          return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int from, int count) throws IOException {
          if (count == 0) return 0;
          while (at == chunk.length) {
            if (chunk == END) return -1;
            chunk = next();
            at = 0;
          }
          int read = Math.min(count, chunk.length - at);
          System.arraycopy(chunk, at, bytes, from, read);
          at += read;
          return read;
        }

        private byte[] next() throws IOException {
          try {
            return chunks.take();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted");
          }
        }
      };
}
