/** Glyphs of 16 units, by name. */
const GLYPHS = {
  agreements: 'M3.5 1.75h6l3 3v9.5h-9zM9.25 2v3h3M5.75 8.25h4.5M5.75 10.75h2.75',
  bolt: 'M9 1.75L3.5 9H8l-1 5.25L12.5 7H8z',
  bug: 'M5 6.5a3 3 0 0 1 6 0v4a3 3 0 0 1-6 0zM2 8.5h3M11 8.5h3M2.75 4.5L5.2 6M13.25 4.5L10.8 6M2.75 13l2.45-1.5M13.25 13l-2.45-1.5',
  close: 'M4 4l8 8M12 4l-8 8',
  contacts: 'M8 2.25a2.75 2.75 0 1 1 0 5.5 2.75 2.75 0 1 1 0-5.5M2.75 13.75a5.25 5.25 0 0 1 10.5 0',
  copy: 'M5.5 7A1.5 1.5 0 0 1 7 5.5h5.25a1.5 1.5 0 0 1 1.5 1.5v5.25a1.5 1.5 0 0 1-1.5 1.5H7a1.5 1.5 0 0 1-1.5-1.5zM10.5 3v-.75H2.25v8.25H3',
  external: 'M6.5 3.25H3.25v9.5h9.5V9.5M9.25 2.5h4.25v4.25M13.2 2.8L7.5 8.5',
  gateway: 'M1.75 13.75h12.5M3.5 13.75v-7.5L8 2.5l4.5 3.75v7.5M6.5 13.75v-4h3v4',
  key: 'M5 8.25a2.75 2.75 0 1 1 0 5.5 2.75 2.75 0 1 1 0-5.5M7 9l6.25-6.25M10.5 5.5l2.25 2.25',
  links: 'M6.3 9.7l3.4-3.4M7 5l1.7-1.7a2.6 2.6 0 0 1 3.7 3.7L10.8 8.7M9 11l-1.7 1.7a2.6 2.6 0 0 1-3.7-3.7L5.2 7.3',
  menu: 'M2 4.5h12M2 8h12M2 11.5h12',
  payments:
    'M1.75 5.25a1.5 1.5 0 0 1 1.5-1.5h9.5a1.5 1.5 0 0 1 1.5 1.5v5.5a1.5 1.5 0 0 1-1.5 1.5h-9.5a1.5 1.5 0 0 1-1.5-1.5zM1.75 6.75h12.5M4.25 9.75h2',
  payouts: 'M8 10V2.25M5 5.25l3-3 3 3M2.5 9.75v3.75h11V9.75',
  play: 'M4.5 2.75v10.5L13 8z',
  plus: 'M8 3v10M3 8h10',
  reset: 'M2.5 8a5.5 5.5 0 1 0 1.7-4M2.4 1.6v2.9h2.9',
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 1 1 0-9M10.4 10.4l3.35 3.35',
  terminal:
    'M1.75 4.25a1.5 1.5 0 0 1 1.5-1.5h9.5a1.5 1.5 0 0 1 1.5 1.5v7.5a1.5 1.5 0 0 1-1.5 1.5h-9.5a1.5 1.5 0 0 1-1.5-1.5zM4.5 6l2 2-2 2M8.25 10.25h3',
  undo: 'M5.75 3L2.5 6.25 5.75 9.5M2.75 6.25h6.75a3.6 3.6 0 0 1 0 7.25H6.5',
  webhooks: 'M8 2v7.25M5 6.25l3 3 3-3M2.5 9.75v3.75h11V9.75',
} as const

export type Glyph = keyof typeof GLYPHS

/** A glyph beside words that say the same. */
export function Icon({ name }: { readonly name: Glyph }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={GLYPHS[name]} />
    </svg>
  )
}

/** Shapes of a status: the form says the same as the colour. */
const SHAPES = {
  here: ['M8 1a7 7 0 1 1 0 14A7 7 0 1 1 8 1', 'M5 8.3l2.1 2.1L11.1 5.9'],
  fault: ['M8 1a7 7 0 1 1 0 14A7 7 0 1 1 8 1', 'M5.7 5.700l4.6 4.6M10.3 5.7l-4.6 4.6'],
  look: ['M8 1.500l7 12.5H1z', 'M8 6v3.500M8 11.600v.01'],
  back: ['M8 1a7 7 0 1 1 0 14A7 7 0 1 1 8 1', 'M9.5 5L6.5 8l3 3'],
  now: ['M8 4a4 4 0 0 1 0 8z', ''],
  over: ['', ''],
} as const

export type Tone = keyof typeof SHAPES

/** The glyph of a status of this tone. */
export function StatusGlyph({ tone }: { readonly tone: Tone }) {
  const [filled, drawn] = SHAPES[tone]
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true" fill="none" stroke-width="1.5" stroke-linecap="round">
      {(tone === 'now' || tone === 'over') && <circle cx="8" cy="8" r="6.25" stroke="currentColor" />}
      <path d={filled} fill="currentColor" />
      <path d={drawn} stroke="var(--surface)" stroke-width="1.75" />
    </svg>
  )
}
