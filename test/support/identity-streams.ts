export const CONTACT_UPDATES = `subscription ContactUpdates($email: String!, $currency: CurrencyCode!, $site: ID) {
  paymentContactUpdates(email: $email, currency: $currency, site: $site) { kind identityStatus results readAt }
}`
