# docker build -t mkt . (docs/deploy.md)
FROM node:22-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && find dist -name '*.map' -delete

FROM node:22-slim
WORKDIR /app
COPY --from=build /build/published-package.json ./package.json
COPY --from=build /build/LICENSE ./
COPY --from=build /build/dist ./dist
RUN ln -s /app/dist/mkt.js /usr/local/bin/mkt \
 && mkdir -m 700 /data /config \
 && chown node:node /data /config
USER node
ENV NODE_ENV=production \
    MKT_DATA_DIR=/data \
    MKT_CONFIG_DIR=/config \
    MKT_HOST=0.0.0.0 \
    MKT_ALLOW_REMOTE=1
VOLUME ["/data", "/config"]
EXPOSE 7717
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:7717/health').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# After a crash nobody can tell from here whether the last container still runs. Only one has these volumes, and a daemon
# that was forced out writes nothing more.
CMD ["mkt", "daemon", "run", "--force-unlock"]
