/** Text that is already HTML and is not escaped again. */
export type Html = { readonly html: string }

/** HTML template tag. Escapes values, except `Html` and lists of `Html`; undefined and false produce no output. */
export function html(parts: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return { html: parts.reduce((text, part, index) => `${text}${toHtml(values[index - 1])}${part}`) }
}

type HtmlValue = string | number | Html | readonly Html[] | undefined | false

function toHtml(value: HtmlValue): string {
  if (value === undefined || value === false) return ''
  if (typeof value === 'string' || typeof value === 'number') return escape(String(value))
  return 'html' in value ? value.html : value.map((part) => part.html).join('')
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
