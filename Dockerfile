FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json tsconfig.build.json codegen.ts vite.config.ts schema.graphql ./
COPY scripts scripts
COPY src src
# Installing also generates the types, and the second installation has nothing left to generate them with.
RUN npm ci && npm run build && npm ci --omit=dev --ignore-scripts

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000
WORKDIR /app
COPY --from=build /app/package.json /app/schema.graphql ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
RUN mkdir data && chown node:node data
VOLUME /app/data
USER node
EXPOSE 4000
CMD ["node", "dist/main.js"]
