/** A document or schema that a test spoils at any place. */
// biome-ignore lint/suspicious/noExplicitAny: no type describes what is not as it should be
export type Loose = any
