"""Text in, values out: tokens, passages and quotes, without files, clocks or networks."""
