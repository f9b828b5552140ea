type Layout = {
  title: string
  body: Html
  /** `data-` attributes of the main landmark, which the page's script reads. */
  data?: Readonly<Record<string, string>>
  /** Seconds after which a browser without scripts reloads the page. */
  refreshSeconds?: number | undefined
}

/** Returns a complete page of the hosted checkout. */
export function layout({ title, body, data = {}, refreshSeconds }: Layout): string {
  const attributes = Object.entries(data).map(([name, value]) => html` data-${name}="${value}"`)
  const refresh =
    refreshSeconds !== undefined && html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}" /></noscript>`
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/checkout/page.css">
<link rel="icon" href="data:,">
<script src="/checkout/page.js" defer></script>
${refresh}
</head>
<body>
<main${attributes}>
${body}
</main>
</body>
</html>
`
  return page.html
}

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
