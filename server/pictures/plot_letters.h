// SPDX-License-Identifier: Apache-2.0
// A stroke font for PNG pictures, so that no font has to be installed.
//
// A letter is a list of strokes separated by blanks. A stroke is a sequence of points: a digit for
// the column, a letter for the row. 'a' is the top of capitals, 'd' the top of small letters, 'j'
// the base line, 'm' the lowest row.
//
// Threads: constants.
#pragma once

#include <array>
#include <string_view>

namespace tasklens {

struct PlotLetter {
  int width;  // columns up to the next letter
  std::string_view strokes;
};
inline constexpr double kPlotLetterRows = 9;  // from the base line up to the top of capitals

// From ' ' to '~'.
inline constexpr std::array<PlotLetter, 95> kPlotLetters = {{
    {3, ""},                                       // space
    {3, "1a1g 1i1j"},                              // !
    {4, "1a1c 3a3c"},                              // "
    {7, "2b1i 5b4i 0d6d 0g6g"},                    // #
    {6, "4b1b0c0d1e4f5g5h4i0i 2a2j"},              // $
    {8, "6a1j 1a2b2c1d0c0b1a 6g7h7i6j5i5h6g"},     // %
    {7, "6j2d2b3a4b4c1f0h1j3j5h6f"},               // &
    {2, "1a1c"},                                   // '
    {3, "2a1c0f1i2l"},                             // (
    {3, "0a1c2f1i0l"},                             // )
    {5, "2b2f 0c4e 4c0e"},                         // *
    {6, "3d3i 0f5f"},                              // +
    {3, "1i1j0l"},                                 // ,
    {4, "0f3f"},                                   // -
    {3, "1i1j"},                                   // .
    {4, "3a0k"},                                   // /
    {6, "1a4a5c5h4j1j0h0c1a"},                     // 0
    {6, "1c3a3j 1j5j"},                            // 1
    {6, "0c1a4a5b5d0j5j"},                         // 2
    {6, "0b1a4a5b5d4e2e 4e5f5i4j1j0i"},            // 3
    {6, "4j4a0g5g"},                               // 4
    {6, "5a1a0e3d5f5h4j1j0i"},                     // 5
    {6, "4a2a0d0h1j4j5h5f4e1e0g"},                 // 6
    {6, "0a5a2j"},                                 // 7
    {6, "1e0d0b1a4a5b5d4e1e0f0i1j4j5i5f4e"},       // 8
    {6, "5d4f1f0d0b1a4a5b5g3j1j"},                 // 9
    {3, "1d1e 1i1j"},                              // :
    {3, "1d1e 1i1j0l"},                            // ;
    {6, "5c0f5i"},                                 // <
    {6, "0e5e 0g5g"},                              // =
    {6, "0c5f0i"},                                 // >
    {5, "0b1a3a4b4d2f2g 2i2j"},                    // ?
    {9, "6d6g7h8f8c6a2a0c0h2j6j 6e5d3d2f3h5h6g"},  // @
    {7, "0j3a6j 1g5g"},                            // A
    {6, "0j0a4a5b5d4e0e 4e5f5i4j0j"},              // B
    {7, "6c4a2a0c0h2j4j6h"},                       // C
    {7, "0a0j3j6h6c3a0a"},                         // D
    {6, "5a0a0j5j 0e4e"},                          // E
    {6, "5a0a0j 0e4e"},                            // F
    {7, "6c4a2a0c0h2j4j6h6f3f"},                   // G
    {7, "0a0j 6a6j 0e6e"},                         // H
    {3, "1a1j"},                                   // I
    {5, "4a4h3j1j0h"},                             // J
    {6, "0a0j 5a0f 2d5j"},                         // K
    {6, "0a0j5j"},                                 // L
    {8, "0j0a3g7a7j"},                             // M
    {7, "0j0a6j6a"},                               // N
    {7, "2a4a6c6h4j2j0h0c2a"},                     // O
    {6, "0j0a4a5b5d4f0f"},                         // P
    {7, "2a4a6c6h4j2j0h0c2a 4h6k"},                // Q
    {6, "0j0a4a5b5d4e0e 3e5j"},                    // R
    {6, "5b4a1a0b0d1e4e5f5i4j1j0i"},               // S
    {6, "0a6a 3a3j"},                              // T
    {7, "0a0h1j5j6h6a"},                           // U
    {7, "0a3j6a"},                                 // V
    {9, "0a2j4c6j8a"},                             // W
    {6, "0a5j 5a0j"},                              // X
    {6, "0a3e3j 6a3e"},                            // Y
    {6, "0a5a0j5j"},                               // Z
    {3, "2a0a0l2l"},                               // [
    {4, "0a3k"},                                   // backslash
    {3, "0a2a2l0l"},                               // ]
    {6, "0d3a5d"},                                 // ^
    {6, "0l5l"},                                   // _
    {3, "0a1c"},                                   // `
    {6, "0e1d4d5e5j 5f1f0g0i1j3j5i"},              // a
    {6, "0a0j 0e2d4d5f5h4j2j0i"},                  // b
    {5, "5e4d1d0f0h1j4j5i"},                       // c
    {6, "5a5j 5e3d1d0f0h1j3j5i"},                  // d
    {6, "0g5g5f4d1d0f0h1j4j5i"},                   // e
    {4, "4a3a2b2j 0d4d"},                          // f
    {6, "5d5k4m1m0l 5e3d1d0f0h1j3j5i"},            // g
    {6, "0a0j 0e2d4d5e5j"},                        // h
    {3, "1d1j 1a1b"},                              // i
    {3, "1d1l0m 1a1b"},                            // j
    {5, "0a0j 4d0h 1g4j"},                         // k
    {3, "1a1j"},                                   // l
    {9, "0d0j 0e1d3d4e4j 4e5d7d8e8j"},             // m
    {6, "0d0j 0e2d4d5e5j"},                        // n
    {6, "1d4d5f5h4j1j0h0f1d"},                     // o
    {6, "0d0m 0e2d4d5f5h4j2j0i"},                  // p
    {6, "5d5m 5e3d1d0f0h1j3j5i"},                  // q
    {4, "0d0j 0f2d4d"},                            // r
    {5, "4e3d1d0e1f3g4h3j1j0i"},                   // s
    {4, "2b2i3j4j 0d4d"},                          // t
    {6, "0d0h1j3j5h 5d5j"},                        // u
    {6, "0d3j5d"},                                 // v
    {8, "0d2j4e6j7d"},                             // w
    {5, "0d4j 4d0j"},                              // x
    {6, "0d3j 5d2m0m"},                            // y
    {5, "0d4d0j4j"},                               // z
    {4, "3a2b2e1f2g2k3l"},                         // {
    {3, "1a1m"},                                   // |
    {4, "1a2b2e3f2g2k1l"},                         // }
    {6, "0g1f3g5f"},                               // ~
}};
// Two more characters that our plots use: micro and the multiplication sign.
inline constexpr PlotLetter kPlotMicro = {6, "0d0m 0h1j3j5h 5d5j"};
inline constexpr PlotLetter kPlotTimes = {5, "0e4i 4e0i"};

}  // namespace tasklens
