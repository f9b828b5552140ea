# Images are pinned by the digest of their index, for all platforms: a tag can be moved. node:24-slim is Node 24.21.0 here.
FROM node:24-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json codegen.ts vite.config.ts schema.graphql ./
COPY scripts scripts
COPY packages packages
COPY examples examples
COPY src src
# Installing also builds the pages and the program, which contains its dependencies.
RUN npm ci

FROM node:24-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000
WORKDIR /app
COPY --from=build /app/package.json /app/schema.graphql ./
COPY --from=build /app/dist dist
RUN install --directory --mode=0700 --owner=node --group=node data
VOLUME /app/data
# Compiled code, which Node keeps for each user apart. Afterwards only root can write it, as all other code, and the root may be read-only.
RUN install --directory --owner=node --group=node .cache \
  && NODE_COMPILE_CACHE=/app/.cache/compile setpriv --reuid=node --regid=node --clear-groups node --input-type=module --eval \
    "for (const part of ['run-server', 'postgres']) await import('/app/dist/program/' + part + '.js')" \
  && chown -R root:root .cache && chmod -R a+rX .cache
USER node
# Metrics and probes are on the loopback alone, port 9464, unless ADMIN_HOST says otherwise: never publish that port.
EXPOSE 4000
STOPSIGNAL SIGTERM
# The first node of a version may build indexes before it listens.
HEALTHCHECK --interval=5s --timeout=4s --start-period=10m --retries=3 \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
