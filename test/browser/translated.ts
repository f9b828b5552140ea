import type { Page } from 'playwright-core'

/**
 * Translates a page as Chrome does, now and whenever it shows a new text: each text node makes room for two `<font>` elements with a text of their
 * own, which begins with `»`. `mode` says what becomes of the node: it leaves the page, or goes into the inner element.
 */
export async function translate(page: Page, mode: 'replaced' | 'moved' = 'replaced'): Promise<void> {
  await page.evaluate((kind) => {
    const isText = (node: Node) =>
      (node.textContent ?? '').trim() !== '' &&
      node.parentElement !== null &&
      node.parentElement.closest('font, script, style, textarea, option, .monaco-editor') === null
    const wrap = (text: Node) => {
      const [outer, inner] = [document.createElement('font'), document.createElement('font')]
      outer.append(inner)
      if (kind === 'replaced') {
        inner.textContent = `»${text.textContent}`
        text.parentNode?.replaceChild(outer, text)
      } else {
        text.parentNode?.insertBefore(outer, text)
        inner.append('»', text)
      }
    }
    const translateAll = () => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      const texts: Node[] = []
      while (walker.nextNode()) if (isText(walker.currentNode)) texts.push(walker.currentNode)
      texts.forEach(wrap)
    }
    translateAll()
    new MutationObserver(translateAll).observe(document.body, { childList: true, subtree: true, characterData: true })
  }, mode)
}
