import * as z from 'zod'
import { ConfirmedIfAsked } from '~/shared/earlier-day'
import { medicineRecord } from '~/records/medicine'

export const SaveMedicine = medicineRecord.save
  .extend({
    patient_id: z.uuid('validation.id'),
    /** What the user answered; a program is not asked. */
    confirmed: ConfirmedIfAsked,
  })
  .superRefine(({ since, until }, ctx) => {
    if (since && until && until < since)
      ctx.addIssue({ code: 'custom', message: 'medicines.untilBeforeSince', path: ['until'] })
  })
