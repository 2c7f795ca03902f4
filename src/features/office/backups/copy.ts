import * as z from 'zod'
import { number, optional, text } from '~/fields/field'
import { LastModified } from '~/shared/record'
import { Confirmation } from './backup'

const days = number('copies.oldAfterDays', { min: 1, max: 90, hint: 'copies.oldAfterDaysHint' })

/** The fields of the form for the second folder. */
export const copyFields = {
  folder: optional(text('copies.folder', { max: 500, hint: 'copies.folderHint' })),
  old_after_days: { ...days, schema: days.schema.int('vitals.whole') },
}

export const SaveCopies = z.object({
  folder: copyFields.folder.schema,
  old_after_days: copyFields.old_after_days.schema,
  last_modified: LastModified,
  ...Confirmation.shape,
})
