import { fileURLToPath } from 'node:url'
import { defaultClientConditions, defineConfig } from 'vite'

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

/** The pages, each a folder of src/web with an index.html. */
export const PAGES = ['start', 'shop', 'console', 'sandbox', 'explorer'] as const

/** Pages for people, as files that any web server could serve: nothing inline, and a hash of its content in every name. */
export default defineConfig({
  root: path('src/web'),
  publicDir: false,
  resolve: { conditions: ['payments-subgraph-source', ...defaultClientConditions] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: path('dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    // A data URL would need a hole in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    license: true,
    chunkSizeWarningLimit: 10_000,
    rolldownOptions: {
      // "use client" means nothing without a server that renders.
      checks: { moduleLevelDirective: false },
      input: Object.fromEntries(PAGES.map((page) => [page, path(`src/web/${page}/index.html`)])),
    },
  },
})
