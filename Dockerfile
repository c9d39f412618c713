# The dashboard for a classroom: docker build -t bnengine . && docker run --read-only --tmpfs /tmp -p 8501:8501 bnengine
FROM python:3.11-slim-bookworm

# graphviz draws the networks; pygraphviz is compiled against it
RUN apt-get update \
 && apt-get install -y --no-install-recommends graphviz libgraphviz-dev gcc pkg-config \
 && rm -rf /var/lib/apt/lists/*

RUN useradd --create-home --uid 1000 visitor
WORKDIR /app

# the dependencies first: they change less often than the program
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY bnengine/__init__.py bnengine/__init__.py
RUN python -m pip install --no-cache-dir -c constraints.txt -e . \
 && apt-get purge -y --auto-remove gcc pkg-config

COPY app.py ./
COPY .streamlit .streamlit
COPY bnengine bnengine
COPY pages pages
COPY sample_data sample_data

# the compiled code is made here, once, for every start; the folder is not written to afterwards. Machine code is for
# this processor and its like: on another kind it is compiled at the first start, and not kept.
RUN python -m bnengine warm-up && chmod -R a+rX /app

USER visitor
ENV HOME=/tmp PYTHONDONTWRITEBYTECODE=1 MPLCONFIGDIR=/tmp
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
CMD ["python", "-m", "streamlit", "run", "app.py", "--server.address", "0.0.0.0", "--server.headless", "true"]
