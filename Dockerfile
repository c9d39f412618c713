# The dashboard for a classroom: docker build -t bnengine . && docker run --read-only --tmpfs /tmp -p 8501:8501 bnengine
FROM python:3.11-slim-bookworm

RUN useradd --create-home --uid 1000 visitor
WORKDIR /source

# what the package is built from
COPY pyproject.toml requirements.lock README.md LICENSE app.py ./
COPY .streamlit .streamlit
COPY bnengine bnengine
COPY pages pages
COPY sample_data sample_data
RUN python -m pip install --no-cache-dir --require-hashes -r requirements.lock && \
    python -m pip install --no-cache-dir --no-deps --no-build-isolation .

# compiled here, once, for every start; it is only read afterwards. Machine code is for this processor and its like: on
# another kind it is compiled at the first start, and kept no longer than the container.
RUN bnengine warm-up

USER visitor
ENV HOME=/tmp PYTHONDONTWRITEBYTECODE=1 MPLCONFIGDIR=/tmp STREAMLIT_SERVER_HEADLESS=true
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
CMD ["bnengine", "app", "--address", "0.0.0.0"]
