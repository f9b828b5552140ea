export const PAYOUT_UPDATES = `subscription PayoutUpdates($id: ID!, $after: String) {
  payoutUpdates(id: $id, after: $after) {
    kind cursor previousCursor resyncReason
    event { id kind sequence cursor source fromStatus toStatus payout { id statusRaw } }
    payout { id status version transactions { statusRaw payeeMasked } }
  }
}`
