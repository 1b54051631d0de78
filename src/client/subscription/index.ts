// What users of subscriptions may import. A line added here is a decision.

export type { LinkLimits } from './link.ts'
export type { Stream, Told } from './subscription.ts'
export {
  createSubscriptions,
  type StreamOptions,
  type Subscriptions,
  type SubscriptionsOptions,
} from './subscriptions.ts'
