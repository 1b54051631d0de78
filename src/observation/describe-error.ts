// What is logged of an error. Not its other members, where drivers put the values of a row.

export interface DescribedError {
  readonly type: string
  readonly message: string
  readonly stack?: string
  readonly code?: string
  readonly cause?: DescribedError | string
  /** The first of several, as when no address of a name answers. */
  readonly first?: DescribedError | string
}

const textMax = 8_192
const causesMax = 5

/** Name, message, stack, code and causes of an error, each bounded; the text of any other value that was thrown. */
export function describeError(error: unknown, depth = 0): DescribedError | string {
  if (!(error instanceof Error)) return String(error).slice(0, textMax)
  const { name, message, stack, cause } = error
  const { code } = error as { readonly code?: unknown }
  const isDeep = depth === causesMax
  const first = error instanceof AggregateError && !isDeep ? error.errors[0] : undefined
  return {
    type: name,
    message: message.slice(0, textMax),
    ...(stack === undefined ? {} : { stack: stack.slice(0, textMax) }),
    ...(typeof code === 'string' ? { code } : {}),
    ...(cause === undefined || isDeep ? {} : { cause: describeError(cause, depth + 1) }),
    ...(first === undefined ? {} : { first: describeError(first, depth + 1) }),
  }
}
