const PATCHED = ['insertBefore', 'moveBefore', 'removeChild'] as const

/** The element that is shown instead of a text node, and the nodes that one element stands for. */
const standIns = new WeakMap<object, HTMLElement>()
const originals = new WeakMap<HTMLElement, Text[]>()

/**
 * Keeps a page in step with its state while a browser translates it. Chrome puts a `<font>` with the translation in the place of each text
 * node. Preact and React go on to change the node that they know, which nobody sees any more, or fail because it has left its parent. So each
 * such node is put back before it is changed, moved or removed, and the translator then finds a new text. Call it once, before the page is shown.
 */
export function surviveTranslation(): void {
  new MutationObserver(follow).observe(document, { childList: true, subtree: true })
  for (const name of PATCHED) for (const owner of [Node.prototype, Element.prototype]) putBackBefore(owner, name)
}

function follow(records: readonly MutationRecord[]): void {
  const fonts = new Set(records.flatMap(({ addedNodes }) => [...addedNodes].filter(isFont)))
  if (fonts.size === 0) return
  for (const record of records)
    for (const node of record.removedNodes) {
      const font = fontOf(node, record, fonts)
      if (font === null) continue
      // A translation into another language takes the place of the first one.
      const texts = isFont(node) ? (originals.get(node) ?? []) : node instanceof Text ? [node] : []
      for (const text of texts) hide(text, font)
    }
}

/** Returns the element that has taken the place of a node that was removed; null if there is none. */
function fontOf(
  node: Node,
  { addedNodes, previousSibling, nextSibling }: MutationRecord,
  fonts: ReadonlySet<Node>,
): HTMLElement | null {
  const around = outermost(node)
  if (around !== null) return around
  if (actual(node, 'parentNode') !== null) return null
  const beside = [previousSibling, nextSibling].filter((one) => one !== null && fonts.has(one)).filter(isFont)
  return [...addedNodes].find(isFont) ?? beside.find((font) => !originals.has(font)) ?? beside[0] ?? null
}

/** Returns the outermost `<font>` around a node that was moved into it. */
function outermost(node: Node): HTMLElement | null {
  const parent = actual(node, 'parentNode')
  return isFont(parent) ? (outermost(parent) ?? parent) : null
}

function isFont(node: unknown): node is HTMLElement {
  return node instanceof HTMLElement && node.localName === 'font'
}

/** Remembers what is shown instead of a text node, which from now on tells the place of that element as its own. */
function hide(text: Text, font: HTMLElement): void {
  if (standIns.get(text) === font) return
  standIns.set(text, font)
  originals.set(font, [...(originals.get(font) ?? []), text])
  const place = (name: 'parentNode' | 'nextSibling'): PropertyDescriptor => ({
    configurable: true,
    get: () => actual(font.isConnected ? font : text, name),
  })
  const content = (name: 'data' | 'nodeValue'): PropertyDescriptor => ({
    configurable: true,
    get: () => actual(text, name),
    set(value: string) {
      putBack(text)
      text[name] = value
    },
  })
  Object.defineProperties(text, {
    parentNode: place('parentNode'),
    nextSibling: place('nextSibling'),
    data: content('data'),
    nodeValue: content('nodeValue'),
    remove: {
      configurable: true,
      value() {
        putBack(text)
        text.remove()
      },
    },
  })
}

/** Shows a text node again, with the others that the same element stands for. Does nothing with any other node. */
function putBack(node: unknown): void {
  const font = node instanceof Text ? standIns.get(node) : undefined
  if (font === undefined) return
  const texts = originals.get(font) ?? []
  originals.delete(font)
  for (const text of texts) {
    standIns.delete(text)
    for (const name of ['parentNode', 'nextSibling', 'data', 'nodeValue', 'remove']) Reflect.deleteProperty(text, name)
  }
  if (font.isConnected) font.replaceWith(...texts)
}

/** Returns a property of a node as the browser knows it. */
function actual(node: Node, name: string): unknown {
  return Reflect.get(CharacterData.prototype, name, node)
}

function putBackBefore(owner: object, name: string): void {
  const native: unknown = Object.getOwnPropertyDescriptor(owner, name)?.value
  if (typeof native !== 'function') return
  Object.defineProperty(owner, name, {
    configurable: true,
    writable: true,
    value(this: Node, ...nodes: unknown[]): unknown {
      nodes.forEach(putBack)
      return Reflect.apply(native, this, nodes)
    },
  })
}
