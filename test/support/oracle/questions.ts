// How many random questions a test asks of each database, and which ones.

/** `QUESTIONS` and `QUESTIONS_SEED`, or what the suite takes. A question of each reader counts. */
export function questionsOf(usual: number): { readonly questions: number; readonly seed: number } {
  const { QUESTIONS, QUESTIONS_SEED } = process.env
  return { questions: Number(QUESTIONS ?? usual), seed: Number(QUESTIONS_SEED ?? 1) }
}
