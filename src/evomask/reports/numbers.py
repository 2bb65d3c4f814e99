"""Numbers as a page shows them: never a power of ten."""


def figure(value: float) -> str:
    """A number with four digits, thousands set apart and never a power of ten."""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    if value == 0 or abs(value) >= 0.001:
        return f"{value:.4g}"
    return "below 0.001" if value > 0 else "above -0.001"
