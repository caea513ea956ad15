"""Sentence embedding models in ONNX form, from a folder, from a model hub or from a wheel."""
