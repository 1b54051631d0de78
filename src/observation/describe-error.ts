// The parts of an error that are logged. Other members may contain the values of a row.

export interface DescribedError {
  readonly type: string
  readonly message: string
  readonly stack?: string
  readonly code?: string
  readonly cause?: DescribedError | string
  /** The first of several errors, as when no address of a name responds. */
  readonly first?: DescribedError | string
}

const textMax = 8_192
const causesMax = 5

/** All texts are bounded. Other thrown values are converted to text. */
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
