import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defaultClientConditions, type InlineConfig, type Plugin } from 'vite'

/** The pages for people, and the parent of the folder of each, which has an index.html. */
export const PAGES = {
  console: 'packages/pages/src',
  design: 'packages/pages/src',
  start: 'packages/pages/src',
  sandbox: 'packages/pages/src',
  explorer: 'packages/pages/src',
  shop: 'examples',
} as const

export type PageName = keyof typeof PAGES

/** Folder of the built pages. */
export const TARGET = 'dist/web'

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

/** Loads the font of a page that has one together with its styles, so that the text is drawn once. */
const fontFirst: Plugin = {
  name: 'font-first',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }) =>
      Object.keys(bundle)
        .filter((file) => file.includes('inter-latin-wght-normal'))
        .map((file) => ({
          tag: 'link',
          attrs: { rel: 'preload', href: `/${file}`, as: 'font', type: 'font/woff2', crossorigin: true },
          injectTo: 'head-prepend' as const,
        })),
  },
}

/** Builds the console a second time for production: the page itself says whether real money moves. */
const ofProduction: Plugin = {
  name: 'console-of-production',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      const page = bundle['console/index.html']
      if (page?.type !== 'asset') throw new Error('The console has no page.')
      const source = String(page.source).replace('data-environment="sandbox"', 'data-environment="production"')
      this.emitFile({ type: 'asset', fileName: 'console/production/index.html', source })
    },
  },
}

/**
 * Returns how a page is built: as files that any web server could serve, with nothing inline, and a hash of its content in every name. Each
 * page is a build of its own, whose assets begin with its name, so that a package can take one of them.
 */
export function buildOf(page: PageName): InlineConfig {
  const root = path(PAGES[page])
  const names = {
    entryFileNames: `assets/${page}-[hash].js`,
    chunkFileNames: `assets/${page}-[name]-[hash].js`,
    assetFileNames: `assets/${page}-[name]-[hash][extname]`,
  }
  return {
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    resolve: { conditions: ['payments-subgraph-source', ...defaultClientConditions] },
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    plugins: page === 'console' ? [fontFirst, ofProduction] : [fontFirst],
    worker: { rolldownOptions: { output: { ...names, entryFileNames: `assets/${page}-[name]-[hash].js` } } },
    build: {
      outDir: path(TARGET),
      emptyOutDir: false,
      target: 'es2022',
      // A data URL would need a hole in the content security policy.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      manifest: `.vite/${page}.json`,
      license: { fileName: `.vite/${page}.md` },
      chunkSizeWarningLimit: 10_000,
      rolldownOptions: {
        // "use client" means nothing without a server that renders.
        checks: { moduleLevelDirective: false },
        // The sandbox has a second page, which its server fills.
        input: globSync(`${root}/${page}/{index,hosted}.html`),
        output: names,
      },
    },
  }
}
