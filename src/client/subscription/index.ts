// The public exports of subscriptions. Adding one is a decision.

export type { LinkLimits } from './link.ts'
export type { Stream, SubscriptionEvent } from './subscription.ts'
export {
  createSubscriptions,
  type StreamOptions,
  type Subscriptions,
  type SubscriptionsOptions,
} from './subscriptions.ts'
