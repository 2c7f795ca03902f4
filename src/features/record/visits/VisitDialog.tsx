import { useRouter } from '@tanstack/react-router'
import { use, useEffect, useEffectEvent, useState } from 'react'
import { CancelButton } from '~/ui/CancelButton'
import { toast } from '~/ui/toast'
import { useTimeZone } from 'use-intl'
import { api } from '~/client/api'
import { useQuery } from '~/client/query'
import { ClosedReports } from '~/features/rules/earlier/EarlierDay'
import { saveAsking } from '~/features/rules/earlier/save-asking'
import { visitRecord } from '~/records/visit'
import { type Actor, mayIn } from '~/shared/actor'
import { invalid } from '~/shared/errors'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { momentAt, wallTime } from '~/shared/zone'
import { Dialog } from '~/ui/Dialog'
import { explainError } from '~/client/explain'
import { FieldForm } from '~/ui/FieldForm'
import { FormContext, FormField } from '~/ui/FormField'
import { MomentInput, useStoredMoment } from '~/ui/MomentInput'
import { PageSkeleton } from '~/ui/PageSkeleton'
import type { OpenVisit } from './visits.server'
import { asOption } from '~/fields/field'

type Props = { patientId: string; visit?: OpenVisit; actor: Actor; onClose: () => void }

/** Opens a visit, suggested for now and the user's own clinic, or corrects one. */
export function VisitDialog({ patientId, visit, actor, onClose }: Props) {
  const say = useSay()
  const router = useRouter()
  const timeZone = useTimeZone() ?? 'UTC'
  const [id] = useState(() => visit?.id ?? newId())
  const { data: clinics, error } = useQuery('clinics.names', {})
  const choices = clinics && {
    clinic_id: clinics
      .filter((clinic) => mayIn(actor, 'can_edit_records', clinic.id))
      .map(asOption),
  }
  const [when, setWhen, meanwhile, takeStored] = useStoredMoment(visit?.check_in_timestamp, () =>
    wallTime(new Date(), timeZone),
  )

  const giveUp = useEffectEvent((why: unknown) => {
    toast.error(say(explainError(why).text))
    onClose()
  })
  useEffect(() => {
    // a request that fails later leaves what was typed
    if (error && !clinics) giveUp(error)
  }, [error, clinics])

  const [only] = choices?.clinic_id ?? []
  const home =
    choices?.clinic_id.find(({ value }) => value === actor.clinicId) ??
    (choices?.clinic_id.length === 1 ? only : undefined)
  return (
    <Dialog onClose={onClose} title={say(visit ? 'visits.edit' : 'visits.open')}>
      {choices ? (
        <FieldForm
          fields={visitRecord.fields}
          values={visit}
          suggested={{
            clinic_id: home?.value,
            provider_id: actor.role === 'provider' ? actor.userId : null,
          }}
          options={choices}
          ownFields={['check_in_timestamp']}
          onTakeNewest={takeStored}
          submit={visit ? 'common.save' : 'visits.open'}
          cancel={<CancelButton onClick={onClose} />}
          onSubmit={async (values) => {
            const unchanged = visit && wallTime(visit.check_in_timestamp, timeZone) === when
            const check_in_timestamp = unchanged
              ? visit.check_in_timestamp
              : momentAt(when, timeZone)
            if (!check_in_timestamp)
              throw invalid({ check_in_timestamp: { key: 'visits.notATime' } })
            const sent = {
              id,
              patient_id: patientId,
              last_modified: visit?.last_modified,
              check_in_timestamp,
              ...values,
            }
            await saveAsking((confirmed) => api.visits.save({ ...sent, confirmed }))
            await router.invalidate()
            toast.success(say(visit ? 'common.saved' : 'visits.openedDone'))
            onClose()
          }}
        >
          {(Field) => (
            <>
              <Field name="clinic_id" />
              <Provider visit={visit} />
              <MomentInput
                name="check_in_timestamp"
                label="visits.checkIn"
                value={when}
                onChange={setWhen}
                notice={meanwhile}
              />
              <ClosedOfVisit when={when} />
              <Field name="reason" />
              <Field name="is_revisit" />
            </>
          )}
        </FieldForm>
      ) : (
        <PageSkeleton />
      )}
    </Dialog>
  )
}

/** The closed reports of the chosen clinic that the day belongs to. */
function ClosedOfVisit({ when }: { when: string }) {
  const clinicId = use(FormContext)?.draft['clinic_id']
  return typeof clinicId === 'string' && clinicId ? (
    <ClosedReports clinicId={clinicId} day={when.slice(0, 10)} />
  ) : null
}

/** Users who may edit records in the chosen clinic, and the present provider of the visit. */
function Provider({ visit }: { visit?: OpenVisit }) {
  const form = use(FormContext)
  const clinicId = form?.draft['clinic_id']
  // without the list only the visit's own provider is offered; the server checks the provider on saving
  const { data } = useQuery(
    'users.names',
    typeof clinicId === 'string' ? { clinicId, permission: 'can_edit_records' } : null,
  )
  const users = data?.map(asOption)
  const { provider_id, provider_name, clinic_id } = visit ?? {}
  const isMissing =
    provider_id && clinic_id === clinicId && !users?.some(({ value }) => value === provider_id)
  const kept = isMissing ? [{ value: provider_id, label: { text: provider_name ?? '—' } }] : []
  const offered = [...kept, ...(users ?? [])]

  const leaveBehind = useEffectEvent(() => {
    const chosen = form?.draft['provider_id']
    if (chosen && !offered.some(({ value }) => value === chosen)) form?.change('provider_id', null)
  })
  const arrivedFor = data && clinicId
  useEffect(() => {
    if (arrivedFor) leaveBehind()
  }, [arrivedFor])
  return <FormField name="provider_id" options={offered} />
}
