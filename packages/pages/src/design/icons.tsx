import sprite from './sprite.svg?raw'

/** The symbols that `Icon` and `Glyph` show; once in a page. */
export function Sprite() {
  return <div hidden dangerouslySetInnerHTML={{ __html: sprite }} />
}

/** An icon of one stroke, beside a word or in a button that has a name. */
export function Icon({ name, class: more = '' }: { readonly name: string; readonly class?: string }) {
  return (
    <svg class={`icon ${more}`} aria-hidden="true">
      <use href={`#i-${name}`} />
    </svg>
  )
}

/** The filled glyph of a status, in the colour of its tone. */
export function Glyph({ name }: { readonly name: string }) {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <use href={`#g-${name}`} />
    </svg>
  )
}
