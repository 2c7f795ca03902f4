import { Alert, Button, Group, Stack } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useSay } from '~/shared/say'
import { Dialog } from '~/ui/Dialog'
import { type PictureUrl, pictureOfVideo } from './picture'

type Props = { onPicture: (picture: PictureUrl) => void; onClose: () => void }

/** Shows the camera's image, takes a picture, and can retake it. */
export function CameraDialog({ onPicture, onClose }: Props) {
  const say = useSay()
  const video = useRef<HTMLVideoElement>(null)
  const [isRefused, setRefused] = useState(false)
  const [taken, setTaken] = useState<PictureUrl | null>(null)

  useEffect(() => {
    let stream: MediaStream | undefined
    let isClosed = false
    async function start() {
      try {
        const camera = await navigator.mediaDevices.getUserMedia({
          video: { facingMode: 'environment', width: { ideal: 1280 } },
        })
        // closed before the user allowed the camera
        if (isClosed) return stop(camera)
        stream = camera
        if (video.current) video.current.srcObject = camera
      } catch {
        setRefused(true)
      }
    }
    void start()
    return () => {
      isClosed = true
      if (stream) stop(stream)
    }
  }, [])

  return (
    <Dialog onClose={onClose} title={say('photos.take')} size="lg">
      <Stack>
        {isRefused ? (
          <Alert role="alert" color="yellow" variant="light">
            {say('photos.noCamera')}
          </Alert>
        ) : (
          <>
            {taken && <img src={taken} alt={say('photos.photo')} style={fits} />}
            {/* stays while a picture is looked at, so that taking it again needs no new permission */}
            <video
              ref={video}
              autoPlay
              playsInline
              muted
              aria-label={say('photos.take')}
              style={{ ...fits, display: taken ? 'none' : undefined }}
            />
          </>
        )}
        <Group justify="flex-end" gap="xs">
          {taken ? (
            <>
              <Button variant="default" onClick={() => setTaken(null)}>
                {say('photos.again')}
              </Button>
              <Button data-autofocus onClick={() => onPicture(taken)}>
                {say('photos.use')}
              </Button>
            </>
          ) : (
            <Button
              disabled={isRefused}
              onClick={() => video.current && setTaken(pictureOfVideo(video.current))}
            >
              {say('photos.shoot')}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  )
}

const fits = {
  width: '100%',
  maxHeight: '60vh',
  objectFit: 'contain',
  borderRadius: 'var(--mantine-radius-md)',
} as const

const stop = (stream: MediaStream) => {
  for (const track of stream.getTracks()) track.stop()
}
