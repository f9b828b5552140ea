/** The whole kit with the element `<payment-status>`, which the build bundles into one file for a page without a build step. */
export * from './index.ts'
export * from './payment-status.ts'
export * from './payment-text.ts'
