import { Alert, Button, Stack, Text } from '@mantine/core'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import wasm from 'zxing-wasm/reader/zxing_reader.wasm?url'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { Dialog } from '~/ui/Dialog'

// from our own server: by itself it would ask a network that a clinic may not have
prepareZXingModule({ overrides: { locateFile: () => wasm } })

const PAUSE_MS = 200
/** Enough for the smallest symbol on a package, little enough for a slow phone. */
const WIDTH = 960

/** Why a browser gives no camera (Media Capture and Streams, section 10.2). */
const refusals: Record<string, MessageKey> = {
  NotAllowedError: 'drugs.scanNotAllowed',
  SecurityError: 'drugs.scanNotAllowed',
  NotFoundError: 'drugs.scanNoCamera',
  NotReadableError: 'drugs.scanInUse',
  AbortError: 'drugs.scanInUse',
}

type Props = { onScan: (code: string) => void; onClose: () => void }

/** Shows the camera's image until it contains a barcode. */
export default function ScanDialog({ onScan, onClose }: Props) {
  const say = useSay()
  const video = useRef<HTMLVideoElement>(null)
  const [problem, setProblem] = useState<MessageKey | null>(() =>
    // a browser gives the camera to https alone
    typeof navigator.mediaDevices === 'undefined' ? 'drugs.scanNeedsHttps' : null,
  )
  const scanned = useEffectEvent(onScan)
  const isPossible = problem === null

  useEffect(() => {
    if (!isPossible) return undefined
    let isClosed = false
    let stream: MediaStream | undefined
    async function watch() {
      try {
        stream = await navigator.mediaDevices.getUserMedia({
          video: { facingMode: 'environment', width: { ideal: 1920 } },
        })
      } catch (error) {
        return setProblem(refusals[(error as Error).name] ?? 'drugs.scanFailed')
      }
      if (isClosed) return stop(stream)
      if (video.current) video.current.srcObject = stream
      try {
        const code = await firstCode(() => (isClosed ? null : video.current))
        if (code && !isClosed) scanned(code)
      } catch {
        setProblem('drugs.scanFailed')
      }
    }
    void watch()
    return () => {
      isClosed = true
      if (stream) stop(stream)
    }
  }, [isPossible])

  return (
    <Dialog
      onClose={onClose}
      title={say('drugs.scan')}
      closeButtonProps={{ 'aria-label': say('common.close') }}
    >
      <Stack>
        {problem ? (
          <>
            <Alert role="alert" color="yellow" variant="light">
              {say(problem)}
            </Alert>
            <Button variant="default" onClick={onClose}>
              {say('drugs.typeInstead')}
            </Button>
          </>
        ) : (
          <>
            <video
              ref={video}
              autoPlay
              playsInline
              muted
              aria-label={say('drugs.scan')}
              style={fits}
            />
            <Text size="sm" c="dimmed">
              {say('drugs.scanHint')}
            </Text>
          </>
        )}
      </Stack>
    </Dialog>
  )
}

/** Reads one image after another; undefined once the camera stops. */
async function firstCode(source: () => HTMLVideoElement | null): Promise<string | undefined> {
  const canvas = document.createElement('canvas')
  for (let video = source(); video; video = source()) {
    const picture = captureFrame(video, canvas)
    // the camera gives one picture at a time
    const [found] = picture
      ? await readBarcodes(picture, { tryHarder: true, maxNumberOfSymbols: 1 })
      : []
    if (found?.isValid && found.text) return found.text
    // leaves time for the phone's other work
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  return undefined
}

function captureFrame(video: HTMLVideoElement, canvas: HTMLCanvasElement): ImageData | undefined {
  if (video.videoWidth === 0) return undefined
  canvas.width = Math.min(WIDTH, video.videoWidth)
  canvas.height = Math.round((canvas.width / video.videoWidth) * video.videoHeight)
  const context = canvas.getContext('2d', { willReadFrequently: true })
  context?.drawImage(video, 0, 0, canvas.width, canvas.height)
  return context?.getImageData(0, 0, canvas.width, canvas.height)
}

const fits = {
  width: '100%',
  maxHeight: '60vh',
  objectFit: 'cover',
  borderRadius: 'var(--mantine-radius-md)',
} as const

const stop = (stream: MediaStream) => {
  for (const track of stream.getTracks()) track.stop()
}
