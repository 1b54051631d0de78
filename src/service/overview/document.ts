// The parts of an OpenAPI document that the front page shows.

export interface Document {
  readonly info: { readonly title: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>
}
export interface DocumentOperation {
  readonly summary?: string
  readonly description?: string
  readonly security?: readonly object[]
  readonly parameters?: readonly DocumentParameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> }
}
interface DocumentParameter {
  readonly in?: string
  readonly name?: string
  readonly required?: boolean
  readonly example?: unknown
}
