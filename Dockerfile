# dyno in an image of nothing but its program. See doc/machines.md#containers for what works in a container.
#
#   docker build -t dyno .
#   docker run --rm --network host dyno load http://127.0.0.1:8080/
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o /dyno ./cmd/dyno && mkdir -p -m 1777 /empty/tmp

FROM scratch AS dyno
COPY --from=build /dyno /dyno
COPY --from=build /empty /
ENV HOME=/tmp XDG_STATE_HOME=/tmp/state XDG_CACHE_HOME=/tmp/cache
ENTRYPOINT ["/dyno"]
