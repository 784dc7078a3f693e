package chat

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
)

// imageTypes are the pictures that are shown.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// imageOf reads a picture in base64, with or without the head of a data URL.
// What it is, its bytes say.
func imageOf(data string) (Image, bool) {
	content, ok := decodeImage(data)
	if !ok {
		return Image{}, false
	}
	return nameImage(content)
}

func decodeImage(data string) ([]byte, bool) {
	if strings.HasPrefix(data, "data:") {
		_, data, _ = strings.Cut(data, ",")
	}
	if data == "" || len(data) > base64.StdEncoding.EncodedLen(MaxImageBytes) {
		return nil, false
	}
	content, err := base64.StdEncoding.DecodeString(data)
	return content, err == nil
}

func nameImage(content []byte) (Image, bool) {
	kind := http.DetectContentType(content)
	sum := sha256.Sum256(content)
	return Image{Hash: hex.EncodeToString(sum[:16]), Type: kind}, slices.Contains(imageTypes, kind)
}
