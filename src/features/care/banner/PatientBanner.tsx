import { Button, Group, Paper, Stack, Text, TextInput } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import {
  createContext,
  lazy,
  type ReactNode,
  Suspense,
  use,
  useCallback,
  useEffect,
  useEffectEvent,
  useMemo,
  useState,
} from 'react'
import { api } from '~/client/api'
import { useQuery } from '~/client/query'
import { PregnancyText } from '~/features/care/pregnancies/PregnancyText'
import { Died } from '~/features/people/patients/Died'
import { patientName } from '~/features/people/patients/patient'
import { usePatientAge } from '~/features/people/patients/PatientAge'
import { PatientIdentity } from '~/features/people/patients/PatientIdentity'
import { PatientPhoto } from '~/features/people/patients/photos/PatientPhoto'
import { AppError } from '~/shared/errors'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { useAction } from '~/ui/action'
import { DialogHead } from '~/ui/Dialog'
import { TitleAbout } from '~/ui/DocumentTitle'
import { StatusBadge } from '~/ui/StatusBadge'
import type { Banner } from './banner.server'
import classes from './PatientBanner.module.css'
import { isSeverity } from '~/records/allergy'

// with the names of all substances, which few screens need
const AllergyDialog = lazy(() =>
  import('~/features/care/allergies/AllergyDialog').then((module) => ({
    default: module.AllergyDialog,
  })),
)

/** The patient of the screen, for what asks about allergies beside the medicines. */
const OnScreen = createContext<{ banner: Banner; recorded: () => unknown } | null>(null)

type Props = {
  /** Null while no patient is chosen: no line is shown. */
  patientId: string | null
  /** What the screen has loaded already; of another patient, the line loads its own. */
  loaded?: Banner | undefined
  isTitle?: boolean
  mayChangePhoto?: boolean
  children: ReactNode
}

/**
 * A screen about one patient: the line that says who it is stays in view, the browser's tab says it,
 * and so does each dialog that opens from the screen.
 */
export function AboutPatient({ patientId, loaded, children, ...line }: Props) {
  const say = useSay()
  const isLoaded = loaded !== undefined && loaded.id === patientId
  const [round, setRound] = useState(0)
  const { data, error } = useQuery(
    'patients.banner',
    patientId && !isLoaded ? { patientId } : null,
    { version: round },
  )
  const banner = (isLoaded ? loaded : data) ?? null
  const title = useTitle(banner)
  // users who may not know the patient see what the screen itself shows
  const isHidden = patientId === null || (error instanceof AppError && error.code === 'not_found')
  const recorded = useCallback(() => setRound((count) => count + 1), [])
  const onScreen = useMemo(() => banner && { banner, recorded }, [banner, recorded])
  return (
    <TitleAbout value={title}>
      <DialogHead value={banner && <PatientLine banner={banner} isInDialog />}>
        <OnScreen value={onScreen}>
          <Stack gap="md">
            {banner ? (
              <PatientLine banner={banner} {...line} onRecorded={recorded} />
            ) : (
              !isHidden && (
                <div
                  className={classes.banner}
                  data-in="page"
                  data-print="no"
                  style={{ minHeight: 58 }}
                >
                  {error !== null && say('banner.failed')}
                </div>
              )
            )}
            {children}
          </Stack>
        </OnScreen>
      </DialogHead>
    </TitleAbout>
  )
}

/** "Amina Haddad, 34 years"; null until it is known. */
function useTitle(banner: Banner | null) {
  const say = useSay()
  const age = usePatientAge(banner ?? { date_of_birth: null, metadata: null })
  return banner && `${patientName(banner) || say('patientPage.noName')}, ${age}`
}

/** A dialog about one patient that opens from a list: it loads the line that says who it is. */
export function DialogAboutPatient({
  patientId,
  children,
}: Pick<Props, 'children'> & { patientId: string }) {
  // on a screen about the patient each dialog has the line already
  const isSaid = use(DialogHead) !== null
  const { data } = useQuery('patients.banner', isSaid ? null : { patientId })
  if (isSaid) return children
  return (
    <DialogHead value={data && <PatientLine banner={data} isInDialog />}>{children}</DialogHead>
  )
}

type LineProps = {
  banner: Banner
  isTitle?: boolean
  mayChangePhoto?: boolean
  isInDialog?: boolean
  onRecorded?: (() => unknown) | undefined
}

/** Photo, name, age, birth date, sex, number, death, allergies and pregnancy. */
function PatientLine({ banner, isTitle, mayChangePhoto, isInDialog, onRecorded }: LineProps) {
  const say = useSay()
  const Name = isTitle ? 'h1' : 'p'
  // the page below the dialog has the landmark of this name
  const Frame = isInDialog ? 'div' : 'section'
  const { died_on, pregnancy, allergies } = banner
  const number = banner.external_patient_id ?? banner.government_id
  return (
    <Frame
      className={classes.banner}
      data-in={isInDialog ? 'dialog' : 'page'}
      role={isInDialog ? 'group' : undefined}
      aria-label={say('banner.patient')}
    >
      <div className={classes.who}>
        <PatientPhoto
          patient={banner}
          size={isInDialog ? 28 : 40}
          mayChange={mayChangePhoto ?? false}
        />
        <div className={classes.words}>
          <Name className={classes.name}>
            <bdi>{patientName(banner) || say('patientPage.noName')}</bdi>
          </Name>
          <span>
            <PatientIdentity patient={banner} />
            {number && (
              <>
                {' · '}
                {say('banner.number')} <bdi dir="ltr">{number}</bdi>
              </>
            )}
          </span>
        </div>
      </div>
      <div className={classes.chips} data-print="no">
        {died_on && <Died on={died_on} />}
        {allergies && (
          <AllergyChips
            patientId={banner.id}
            allergies={allergies}
            mayRecord={banner.mayRecord && !isInDialog}
            onRecorded={onRecorded}
          />
        )}
        {pregnancy && <PregnancyChip pregnancy={pregnancy} />}
      </div>
    </Frame>
  )
}

const MOST_SHOWN = 3

type ChipsProps = {
  patientId: string
  allergies: NonNullable<Banner['allergies']>
  mayRecord: boolean
  onRecorded: (() => unknown) | undefined
}

/** Red when there are any, amber when nobody asked, grey when the answer was "none". */
function AllergyChips({ patientId, allergies: { state, known }, ...rest }: ChipsProps) {
  const say = useSay()
  const [isWhole, setWhole] = useState(false)
  if (state === 'none_known')
    return <StatusBadge tone="quiet">{say('allergies.noneKnown')}</StatusBadge>
  if (state === 'not_asked') return <AskAllergies patientId={patientId} {...rest} />
  const shown = isWhole ? known : known.slice(0, MOST_SHOWN)
  return (
    <>
      <StatusBadge tone="bad" isLong leftSection={<IconAlertTriangle size={14} aria-hidden />}>
        {say('allergies.title')}
        {': '}
        {shown.map(({ id, substance, severity }, at) => (
          <span key={id}>
            {at > 0 && ', '}
            <bdi>{substance}</bdi>
            {isSeverity(severity) && ` (${say(`allergies.${severity}`)})`}
          </span>
        ))}
      </StatusBadge>
      {known.length > MOST_SHOWN && !isWhole && (
        <Button size="compact-xs" variant="subtle" color="red" onClick={() => setWhole(true)}>
          {say({ key: 'banner.more', values: { count: known.length - MOST_SHOWN } })}
        </Button>
      )}
    </>
  )
}

/** Nobody asked the patient: who may record it does so here, in one press. */
function AskAllergies({ patientId, mayRecord, onRecorded }: AnswerProps & { mayRecord: boolean }) {
  const say = useSay()
  return (
    <>
      <StatusBadge tone="warning" isLong>
        {say('banner.allergiesUnknown')}
      </StatusBadge>
      {mayRecord && (
        <AnswerButtons patientId={patientId} onRecorded={onRecorded} size="compact-xs" />
      )}
    </>
  )
}

type AnswerProps = Pick<ChipsProps, 'patientId' | 'onRecorded'>

/** "None known" in one press, or the dialog for an allergy. */
function AnswerButtons({
  patientId,
  onRecorded,
  size,
}: AnswerProps & { size: 'compact-xs' | 'sm' }) {
  const say = useSay()
  const { run, pending } = useAction()
  const [isAdding, setAdding] = useState(false)
  const recordNone = async () => {
    const done = await run(() => api.allergies.recordNone({ id: newId(), patientId }), {
      success: 'allergies.recordedNone',
    })
    if (done) await onRecorded?.()
  }
  return (
    <>
      <Button
        size={size}
        variant="default"
        data-print="no"
        loading={pending}
        onClick={() => void recordNone()}
      >
        {say('banner.noneKnown')}
      </Button>
      <Button size={size} variant="default" data-print="no" onClick={() => setAdding(true)}>
        {say('banner.addAllergy')}
      </Button>
      {isAdding && (
        <Suspense>
          <AllergyDialog
            patientId={patientId}
            onClose={() => {
              setAdding(false)
              void onRecorded?.()
            }}
          />
        </Suspense>
      )}
    </>
  )
}

type FirstProps = {
  reason: string
  onReason: (reason: string) => void
  error?: string | undefined
  disabled?: boolean
  /** After an answer was recorded here: the check runs again. */
  onRecorded: () => unknown
}

/**
 * Before the first medicine of a patient whose allergies nobody asked about: the answer in one press, or once a day why
 * nobody could ask. The server refuses the medicine without one of them.
 */
export function AllergiesFirst({ reason, onReason, error, disabled, onRecorded }: FirstProps) {
  const say = useSay()
  const about = use(OnScreen)
  const state = about?.banner.allergies?.state
  const checkAgain = useEffectEvent(() => void onRecorded())
  // pressed, not typed: a reason may begin with the same word
  const [isLater, setLater] = useState(reason === LATER)
  const ask = (later: boolean) => {
    setLater(later)
    onReason(later ? LATER : '')
  }
  // the answer may have been given in the line at the top
  useEffect(() => {
    if (state !== undefined && state !== 'not_asked') checkAgain()
  }, [state])
  return (
    <Paper
      withBorder
      p="sm"
      component="section"
      aria-label={say('allergies.title')}
      style={{ borderInlineStart: '4px solid var(--mantine-color-yellow-7)' }}
    >
      <Stack gap="xs">
        <Text size="sm" fw={600}>
          {say('allergies.askFirst')}
        </Text>
        {about?.banner.mayRecord && (
          <Group gap="xs">
            <AnswerButtons
              patientId={about.banner.id}
              size="sm"
              onRecorded={() => {
                void about.recorded()
                return onRecorded()
              }}
            />
          </Group>
        )}
        {isLater ? (
          <Group gap="sm">
            <Text size="sm" fw={600}>
              {say('allergies.askedLater')}
            </Text>
            <Button size="xs" variant="default" disabled={disabled} onClick={() => ask(false)}>
              {say('safety.giveReason')}
            </Button>
          </Group>
        ) : (
          <>
            <TextInput
              name="allergies_reason"
              label={say('allergies.whyNotAsked')}
              value={reason}
              onChange={(event) => onReason(event.currentTarget.value)}
              error={error}
              aria-invalid={error !== undefined || undefined}
              disabled={disabled}
              maxLength={500}
              dir="auto"
              autoComplete="off"
            />
            <Group>
              <Button size="xs" variant="default" disabled={disabled} onClick={() => ask(true)}>
                {say('allergies.askLater')}
              </Button>
            </Group>
          </>
        )}
      </Stack>
    </Paper>
  )
}

/** Kept as an emergency, without a reason (`EMERGENCY` of the overridden warnings). */
const LATER = 'emergency'

function PregnancyChip({ pregnancy }: { pregnancy: NonNullable<Banner['pregnancy']> }) {
  const say = useSay()
  const { state, weeks } = pregnancy
  if (state === 'not_pregnant') return null
  if (state === 'not_known')
    return <StatusBadge tone="quiet">{say('banner.pregnancyUnknown')}</StatusBadge>
  return (
    <StatusBadge tone="warning" isLong>
      <PregnancyText state={state} weeks={weeks} />
    </StatusBadge>
  )
}
