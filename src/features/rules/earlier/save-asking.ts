import { type EarlierDayQuestion, askedQuestion } from '~/shared/earlier-day'
import { AppError } from '~/shared/errors'
import type { useAction } from '~/ui/action'
import { confirm } from '~/ui/confirm'

/** Saves; what the server asks, the user answers, and the save is repeated. A "no" is the server's error. */
export async function saveAsking<T>(
  save: (confirmed: EarlierDayQuestion[]) => Promise<T>,
): Promise<T> {
  const confirmed: EarlierDayQuestion[] = []
  for (;;) {
    try {
      // each question is asked once
      return await save(confirmed)
    } catch (error) {
      const question = askedQuestion(error)
      if (!question || confirmed.includes(question)) throw error
      const [about, ...more] = error instanceof AppError ? distinct(error.fields) : []
      const isRight = await confirm({
        title: `asked.${question}`,
        text: about ?? `asked.${question}`,
        more,
        action: question === 'still_expected' ? 'asked.takeOut' : 'asked.yes',
      })
      if (!isRight) throw error
      confirmed.push(question)
    }
  }
}

/** As `run` of `useAction`, for a write that asks; a "no" does nothing. */
export async function runAsking<T>(
  run: ReturnType<typeof useAction>['run'],
  write: (confirmed: EarlierDayQuestion[]) => Promise<T>,
  outcome: Parameters<typeof run<T>>[1],
): Promise<void> {
  try {
    // asked between two runs: while the user thinks, nothing is being done
    await saveAsking((confirmed) =>
      run(() => write(confirmed), { ...outcome, answers: isQuestion }),
    )
  } catch (error) {
    if (!isQuestion(error)) throw error
  }
}
const isQuestion = (error: unknown) => askedQuestion(error) !== null

/** Two lines about one batch ask the same. */
const distinct = (fields: AppError['fields']) => [
  ...new Map(Object.values(fields).map((about) => [JSON.stringify(about), about])).values(),
]
