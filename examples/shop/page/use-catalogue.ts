import { useEffect, useState } from 'preact/hooks'
import { type Catalogue, fetchCatalogue } from './shop-server.ts'

export type CatalogueState = {
  /** `'none'` when there is no shop. */
  readonly catalogue: Catalogue | 'loading' | 'failed' | 'none'
  /** Loads the catalogue again. */
  readonly load: () => void
}

/** The shop's catalogue, read from its server. */
export function useCatalogue(): CatalogueState {
  const [catalogue, setCatalogue] = useState<CatalogueState['catalogue']>('loading')
  const load = () => {
    setCatalogue('loading')
    fetchCatalogue().then(
      (found) => setCatalogue(found ?? 'none'),
      () => setCatalogue('failed'),
    )
  }
  useEffect(load, [])
  return { catalogue, load }
}
