"""The shipped bundles and presets, as YAML."""
