import * as z from 'zod'
import { medicineRecord } from '~/records/medicine'

export const SaveMedicine = medicineRecord.save
  .extend({ patient_id: z.uuid('validation.id') })
  .superRefine(({ since, until }, ctx) => {
    if (since && until && until < since)
      ctx.addIssue({ code: 'custom', message: 'medicines.untilBeforeSince', path: ['until'] })
  })
