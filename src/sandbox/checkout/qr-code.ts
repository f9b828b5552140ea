import { drawQrCode } from '../../lib/draw-qr-code.ts'
import { html } from './html.ts'
import type { Html } from './html.ts'

/** Returns a QR code as an image, dark on light in every theme, as scanners expect. `label` is its text alternative. */
export function qrCode(content: string, label: string): Html {
  const { path, size } = drawQrCode(content)
  return html`<svg
    class="qr"
    role="img"
    aria-label="${label}"
    viewBox="0 0 ${size} ${size}"
    shape-rendering="crispEdges"
  >
    <rect width="${size}" height="${size}" fill="#fff" />
    <path d="${path}" fill="#000" />
  </svg>`
}
