"""Engine results as plotly figures; nothing here knows Streamlit."""
