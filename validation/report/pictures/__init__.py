"""Pictures as SVG: curves, bands, strips, heat maps, their axes."""
