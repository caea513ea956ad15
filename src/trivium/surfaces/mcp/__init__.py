"""The Model Context Protocol: few tools, small descriptions, answers that never outgrow what was asked for."""
