import { existsSync, mkdirSync } from 'node:fs'
import axe from 'axe-core'
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { missing } from '../support/postgres.ts'

/** Debian's headless shell is the same engine without windows, and takes less processor time. */
const PATHS = [process.env['CHROMIUM_PATH'], '/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
const PATH = PATHS.find((path) => path !== undefined && existsSync(path))

/**
 * The features that Playwright disables, because the last flag of this name replaces the ones before it, and at the end three that load
 * hidden pages of the address bar into each window: they take as much processor time as the page of a test.
 */
const DISABLED = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'PreloadTopChromeWebUI',
]

/** Flags against connections that the browser opens by itself. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  // Letters are drawn alike, whatever the settings of the machine.
  '--font-render-hinting=none',
  '--disable-lcd-text',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${DISABLED.join(',')}`,
]

/** Milliseconds that a page may take to show what a test waits for: two processors run everything. */
const PATIENCE_MS = 30_000

/** Console errors of a page while its server is unreachable, ends, or refuses a request. */
export const GONE = /ERR_CONNECTION_(?:REFUSED|RESET)|ERR_EMPTY|ERR_INCOMPLETE|WebSocket connection|status of 50[03]/

export type TestBrowser = {
  /** True if Chromium is not installed; the suites that need it are skipped. */
  readonly isMissing: boolean
  /** Opens a new profile, which is closed with the test. At its end the test fails for each unexpected error of its pages. */
  profile(options?: ProfileOptions): Promise<Profile>
}

export type ProfileOptions = BrowserContextOptions & {
  /** Console errors that the test provokes. */
  readonly expectedErrors?: readonly RegExp[]
}

export type Profile = {
  readonly context: BrowserContext
  /** Opens a page in this profile. */
  open(url: string): Promise<Page>
}

/** Ends with the process. */
let launched: Promise<Browser> | null = null

/**
 * Returns the browser of these tests: one per process, with a profile per test. Without Chromium the suites fail under CI; elsewhere they
 * are skipped with a message that says how to install it.
 */
export async function findBrowser(): Promise<TestBrowser> {
  if (PATH === undefined) {
    missing(
      'There is no Chromium',
      'install it (`apt-get install chromium-headless-shell`), or name it in CHROMIUM_PATH',
    )
    return { isMissing: true, profile: () => Promise.reject(new Error('There is no browser.')) }
  }
  const browser = await (launched ??= chromium.launch({ executablePath: PATH, args: FLAGS }))
  return { isMissing: false, profile: (options) => openProfile(browser, options) }
}

async function openProfile(browser: Browser, options: ProfileOptions = {}): Promise<Profile> {
  const { expectedErrors = [], ...contextOptions } = options
  const context = await browser.newContext({
    locale: 'en',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    ...contextOptions,
  })
  context.setDefaultTimeout(PATIENCE_MS)
  const errors: string[] = []
  context.on('weberror', (error) => errors.push(String(error.error())))
  context.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  onTestFinished(async () => {
    await context.close()
    expect(errors.filter((text) => !expectedErrors.some((pattern) => pattern.test(text)))).toEqual([])
  })
  return {
    context,
    open: async (url) => {
      const page = await context.newPage()
      await page.goto(url)
      return page
    },
  }
}

/** Icons that the sprite of a page does not have. */
const MISSING_ICONS = `[...document.querySelectorAll('use')].map((use) => use.getAttribute('href')).filter((id) => !document.querySelector(id))`

/** Returns what axe-core reports for a page in its current state, in light and dark, one line each, and missing icons; empty if nothing. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  const found: string[] = []
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  for (const [colorScheme, rules] of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // Listeners of the media query run before the next frame, and can change the page.
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
    const options = JSON.stringify({ resultTypes: ['violations'], ...rules })
    const { violations } = await page.evaluate<AxeResult>(`axe.run(document, ${options})`)
    for (const { id, nodes } of violations)
      found.push(...nodes.map(({ html }) => `${colorScheme}: ${id}: ${html.slice(0, 200)}`))
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  found.push(...(await page.evaluate<string[]>(MISSING_ICONS)))
  return found
}

/** Rules about colours run in both schemes; rules about text and structure in one. */
const SCHEMES = [
  ['light', {}],
  ['dark', { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } }],
] as const

type AxeResult = {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { html: string }[] }[]
}

/** Stores a screenshot of the page for the documentation if `SCREENSHOTS` is set. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  if (process.env['SCREENSHOTS'] === undefined) return
  mkdirSync('docs/pictures', { recursive: true })
  await page.screenshot({ path: `docs/pictures/${name}.png`, fullPage: true })
}
