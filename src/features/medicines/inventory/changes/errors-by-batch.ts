import type { AppError } from '~/shared/errors'

/** "lines.3" is the fourth line that was sent: its error is shown beside its batch. The day has its own box. */
export const errorsByBatch = (fields: AppError['fields'], sent: readonly { batchId: string }[]) =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([path, text]) => {
      if (path === 'day') return [[path, text]]
      const line = sent[Number(path.split('.')[1])]
      return line ? [[line.batchId, text]] : []
    }),
  )
