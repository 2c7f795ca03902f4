import { Alert, Button, Grid, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconRestore } from '@tabler/icons-react'
import { useRouter } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, use, useMemo, useRef } from 'react'
import { toast } from '~/ui/toast'
import { useFormatter } from 'use-intl'
import { type Fields, reference } from '~/fields/field'
import { COMPARED_COLUMNS, OF_MOTHER_COLUMNS } from '~/records/patient'
import {
  fieldsOfScreen,
  fieldLabels,
  newOutsideTables,
  notBelow,
} from '~/features/people/registration/form-fields'
import { RegistrationFields } from '~/features/people/registration/RegistrationFields'
import type { RegistrationForm } from '~/features/people/registration/registration-form'
import type { Actor } from '~/shared/actor'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { useToday } from '~/ui/clock'
import { confirm } from '~/ui/confirm'
import type { Draft } from '~/ui/draft'
import { FieldForm } from '~/ui/FieldForm'
import { FormContext } from '~/ui/FormField'
import { LikelyDuplicates } from './duplicates/LikelyDuplicates'
import { PhotoInput } from './photos/PhotoInput'
import { asksWeeksAtBirth, weeksAtBirthField } from './weeks-at-birth'
import { patientName } from './patient'
import type { Patient } from './patients.server'
import { useRegister } from './register'
import { useRegistrationDraft } from './registration-draft'

type Props = {
  form: RegistrationForm
  clinics: { id: string; name: string }[]
  actor: Actor
  language: Language
  /** Of a newborn: how the mother can be reached is proposed, and the two records are linked. */
  mother?: Patient | undefined
  /** Puts the newly registered patient into the queue. */
  onCheckIn: (patient: { id: string; name: string; clinicId: string }) => void
  /** A further action for a likely duplicate outside the user's clinics. */
  forUnknown?: (candidate: { id: string; name: string }) => ReactNode
}

/** Registers one patient after another, usable with the keyboard alone. */
export function RegisterPatient(props: Props) {
  const { form, clinics, actor, language, mother, onCheckIn, forUnknown } = props
  const say = useSay()
  const router = useRouter()
  const today = useToday()
  const asked = useMemo(() => fieldsOfScreen(form.fields, language), [form, language])
  const draft = useRegistrationDraft(
    actor.userId,
    {
      primary_clinic_id: usualClinic(clinics, actor),
      ...(mother && {
        // what the form does not ask cannot be saved by it
        ...Object.fromEntries(
          OF_MOTHER_COLUMNS.filter((name) => name in asked).map((name) => [name, mother[name]]),
        ),
        date_of_birth: today,
      }),
    },
    mother?.id,
  )
  const register = useRegister()
  const isNextRef = useRef(false)
  const fields = useMemo(() => {
    const clinic = reference('registration.clinic', {
      requiredMessage: 'registration.clinicRequired',
    })
    return {
      ...asked,
      weeks_at_birth: weeksAtBirthField,
      ...(clinics.length > 1 && { primary_clinic_id: clinic }),
    }
  }, [asked, clinics.length])

  const formerLabels = useMemo(() => fieldLabels(form.fields, language), [form, language])

  async function save(typed: Draft) {
    // what was typed before the date of birth changed is no longer on the screen
    const isAsked = asksWeeksAtBirth(typed['date_of_birth'], today)
    const values: Draft = { ...typed, ...(!isAsked && { weeks_at_birth: null }) }
    const clinicId = (values['primary_clinic_id'] ?? clinics[0]?.id) as string
    const { id, photo } = draft
    await register({ id, clinicId, values, photo, motherId: mother?.id })
    const name =
      patientName(values as { given_name: string | null; surname: string | null }) ||
      say('registration.someone')
    const patientId = draft.id
    const patientPage = { to: '/app/patients/$patientId', params: { patientId: draft.id } } as const
    const open = () => void router.navigate(patientPage)
    const another = () =>
      void router.navigate({ to: '/app/patients/register', search: { mother: mother?.id } })
    toast.success(say({ key: 'registration.registered', values: { name } }), {
      // gives time to press the button
      duration: 10_000,
      action: {
        label: say('appointments.checkIn'),
        onClick: () => onCheckIn({ id: patientId, name, clinicId }),
      },
      cancel: isNextRef.current
        ? { label: say('registration.open'), onClick: open }
        : { label: say('registration.another'), onClick: another },
    })
    if (isNextRef.current) return draft.clear(values)
    draft.forget()
    await router.navigate(patientPage)
  }

  async function discard() {
    const isMeant = await confirm({
      text: 'registration.discardAsks',
      action: 'registration.discard',
      destructive: true,
    })
    if (isMeant) draft.clear(draft.start.values)
  }

  return (
    <Stack
      key={draft.start.round}
      ref={focusFirst}
      gap="md"
      onSubmitCapture={(event) => (isNextRef.current = pressed(event) === 'next')}
    >
      <DraftNotice keptAt={draft.start.keptAt} onDiscard={discard} />
      <FieldForm
        fields={fields as Fields}
        suggested={draft.start.values}
        ownFields={['primary_clinic_id']}
        options={{
          primary_clinic_id: clinics.map(({ id, name }) => ({ value: id, label: { text: name } })),
        }}
        submit="registration.register"
        between={(typed) => notBelow(newOutsideTables(form.fields, typed, {}))}
        formerLabels={formerLabels}
        onDraft={draft.keepValues}
        onSubmit={save}
        cancel={
          <Button type="submit" name="next" variant="default">
            {say('registration.registerAndNext')}
          </Button>
        }
      >
        {(Field) => (
          <Grid gap="lg">
            <Grid.Col span={{ base: 12, md: 8 }}>
              <Paper withBorder p={{ base: 'md', sm: 'lg' }}>
                <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg" verticalSpacing="md">
                  <RegistrationFields
                    form={form}
                    names={Object.keys(fields)}
                    Field={Field}
                    around={{
                      weeks_at_birth: (field) => (
                        <OfSmallChild key="weeks_at_birth">{field}</OfSmallChild>
                      ),
                    }}
                  />
                </SimpleGrid>
              </Paper>
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 4 }}>
              <Stack gap="md">
                <DuplicatesSoFar clinics={clinics} exceptId={draft.id} forUnknown={forUnknown} />
                <Paper withBorder p="md">
                  <PhotoInput value={draft.photo} onChange={draft.setPhoto} />
                </Paper>
                <Text size="sm" c="dimmed">
                  {say('registration.keys')}
                </Text>
              </Stack>
            </Grid.Col>
          </Grid>
        )}
      </FieldForm>
    </Stack>
  )
}

/** Shown when the date of birth in the form around it is that of a child below two years. */
function OfSmallChild({ children }: { children: ReactNode }) {
  const today = useToday()
  return asksWeeksAtBirth(use(FormContext)?.draft['date_of_birth'], today) ? children : null
}

/** Duplicates of the patient in the form around it. */
function DuplicatesSoFar({
  clinics,
  exceptId,
  forUnknown,
}: Pick<Props, 'clinics' | 'forUnknown'> & { exceptId: string }) {
  const typed = use(FormContext)?.draft ?? {}
  const values = Object.fromEntries(
    COMPARED_COLUMNS.map((column) => [column, textOrNull(typed[column])]),
  )
  const clinic =
    clinics.length === 1 ? clinics[0] : clinics.find(({ id }) => id === typed['primary_clinic_id'])
  return (
    <LikelyDuplicates values={values} clinic={clinic} exceptId={exceptId} forUnknown={forUnknown} />
  )
}

const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null)

const pressed = ({ nativeEvent }: FormEvent) =>
  (nativeEvent as SubmitEvent).submitter?.getAttribute('name')

/** The only clinic, or the clinic that the user belongs to. */
const usualClinic = (clinics: Props['clinics'], actor: Actor) =>
  clinics.length === 1
    ? clinics[0]!.id
    : (clinics.find(({ id }) => id === actor.clinicId)?.id ?? null)

function DraftNotice({ keptAt, onDiscard }: { keptAt: Date | null; onDiscard: () => void }) {
  const say = useSay()
  const format = useFormatter()
  if (!keptAt) return null
  const when = format.dateTime(keptAt, { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <Alert color="sanad" variant="light" role="none" icon={<IconRestore size={18} aria-hidden />}>
      <Text component="output" size="sm" display="block">
        {say({ key: 'registration.draftFound', values: { when } })}
      </Text>
      <Button size="xs" variant="default" mt="xs" onClick={onDiscard}>
        {say('registration.discard')}
      </Button>
    </Alert>
  )
}

/** Focuses the first empty text box. */
function focusFirst(area: HTMLElement | null) {
  const boxes = [...(area?.querySelectorAll<HTMLInputElement>('form input:not([readonly])') ?? [])]
  const texts = boxes.filter(({ type }) => type === 'text')
  const first = texts.find(({ value }) => value === '') ?? texts[0]
  first?.focus()
}
